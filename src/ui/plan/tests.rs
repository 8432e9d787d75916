//! Plans on the smallest screen: the order is seen, and the command is whole.

use ratatui::Terminal;
use ratatui::backend::TestBackend;

use super::*;
use crate::app::screen::Tab;
use crate::model::{ConfigKind, ConfigRef, WorkloadRef};
use crate::remedy::{PlanKind, Step};

fn plan(kind: PlanKind, recommended: bool, steps: &[(&str, &str)]) -> Plan {
    Plan {
        kind,
        recommended,
        headline: "Restore api:8080, then restart.".into(),
        why: "The live content fails wherever it is loaded.".into(),
        steps: steps
            .iter()
            .map(|(what, command)| Step {
                what: (*what).into(),
                command: (*command).into(),
                role: crate::remedy::Role::Look,
            })
            .collect(),
    }
}

fn screen(plans: &[Plan], step: usize) -> String {
    let config = ConfigRef::new(ConfigKind::ConfigMap, "shop", "frontend-nginx");
    let workload = WorkloadRef::new("Deployment", "shop", "frontend");
    let mut sheet = Sheet::about(config, workload, 0);
    sheet.tab = Tab::Plan;
    sheet.step = step;
    let rows = Rows::all(shown::steps(plans).len());
    let mut terminal = Terminal::new(TestBackend::new(80, 10)).expect("a test terminal");
    terminal
        .draw(|frame| drop(draw(&sheet, plans, &rows, frame, frame.area())))
        .expect("a test terminal draws");
    terminal.backend().to_string()
}

#[test]
fn the_recommended_plan_is_first_and_the_selected_command_whole() {
    let revert = "kubectl -n shop get cm frontend-nginx -o json | sed 's/server api:8000;/server api:8080;/' | kubectl apply -f -";
    let plans = [
        plan(
            PlanKind::RollForward,
            false,
            &[(
                "Restart the others.",
                "kubectl rollout restart deploy/frontend",
            )],
        ),
        plan(
            PlanKind::RevertThenRestart,
            true,
            &[
                (
                    "Save the object as it is.",
                    "kubectl get cm frontend-nginx -o yaml",
                ),
                ("Write api:8080 back.", revert),
            ],
        ),
    ];
    let shown = screen(&plans, 1);
    insta::assert_snapshot!(shown);
    let typed: String = shown
        .lines()
        .map(|line| {
            line.trim_matches('"')
                .trim_start_matches(" $ ")
                .trim_start_matches("   ")
        })
        .map(|line| line.trim_end())
        .collect::<Vec<_>>()
        .join(" ");
    assert!(typed.contains(revert), "{typed}");
}

#[test]
fn a_plan_without_steps_says_why() {
    let shown = screen(&[plan(PlanKind::RollForward, false, &[])], 0);
    assert!(shown.contains("roll-forward"), "{shown}");
    assert!(shown.contains("The live content fails"), "{shown}");
}
