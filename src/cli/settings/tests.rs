//! What settings mean, and how a fault in them is told.

use std::path::Path;

use super::{History, Settings, Theme, Zone};

fn parse(text: &str) -> Result<Settings, String> {
    Settings::parse(text, Path::new("/etc/c.toml")).map_err(|error| error.to_string())
}

#[test]
fn the_example_is_the_default_and_names_every_setting() {
    let example = include_str!("../../../assets/settings.example.toml");
    assert_eq!(parse(example), Ok(Settings::default()));
    // Each setting is in it, though commented out: with the marks taken away it still parses, to the same.
    let uncommented: String = example
        .lines()
        .filter_map(|line| line.strip_prefix("#: "))
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(parse(&uncommented), Ok(Settings::default()));
    let shown = format!("{:?}", Settings::default());
    let fields = shown.matches(": ").count();
    assert_eq!(uncommented.lines().count(), fields, "{uncommented}");
}

#[test]
fn each_setting_is_taken() {
    let settings = parse(
        "theme = \"light\"\nmouse = true\nascii = true\ntime = \"local\"\nlogin = \"aws sso login\"\nexport = \"/tmp/x\"\nprobe = \"never\"\nhistory = \"on\"\nstore = \"/tmp/h\"\n",
    )
    .expect("settings");
    assert_eq!((settings.theme, settings.time), (Theme::Light, Zone::Local));
    assert!(settings.mouse && settings.ascii);
    let preferences = settings.preferences();
    assert!(preferences.mouse && preferences.local_time);
    assert_eq!(preferences.login.as_deref(), Some("aws sso login"));
    assert_eq!(settings.export, Path::new("/tmp/x"));
    assert_eq!(settings.store, Path::new("/tmp/h"));
    assert_eq!(settings.history, History::On);
    assert_eq!(preferences.probe, crate::app::Probe::Never);
    assert_eq!(Settings::default().preferences().login, None);
}

#[test]
fn a_logs_command_is_taken_or_told_to_be_unsound_with_its_place() {
    let settings = parse("logs-cmd = \"mylogs {pod}\"\n").expect("settings");
    assert_eq!(
        settings.logs_cmd.expect("a command").to_string(),
        "mylogs {pod}"
    );
    let wrong = parse("mouse = true\nlogs-cmd = \"mylogs\"\n").expect_err("no pod");
    assert!(
        wrong.contains("line 2") && wrong.contains("logs-cmd: it does not say which {pod}"),
        "{wrong}"
    );
}

#[test]
fn a_fault_is_told_with_its_place_and_what_is_allowed() {
    let wrong = parse("mouse = true\ntheme = \"drak\"\n").expect_err("no such theme");
    assert_eq!(
        wrong,
        "The settings in /etc/c.toml, line 2, column 9 are wrong: unknown variant `drak`, expected one of `auto`, `dark`, `light`, `mono`."
    );
    let unknown = parse("# täxt\ncolour = 1\n").expect_err("no such setting");
    assert!(
        unknown.contains(
            "line 2, column 1 are wrong: unknown field `colour`, expected one of `theme`"
        ),
        "{unknown}"
    );
    let broken = parse("mouse = \n").expect_err("no TOML");
    assert!(broken.contains("line 1, column"), "{broken}");
    let kind = parse("mouse = \"yes\"\n").expect_err("no truth value");
    assert!(kind.contains("expected a boolean"), "{kind}");
}
