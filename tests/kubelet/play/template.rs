//! A random pod template: which ways its containers take the configs, and what runs in them.

use confsplit::model::{
    ConfigKind, ConfigRef, Container, ContainerKind, EnvFrom, EnvSource, EnvVar, Mount, SubPath,
    Volume, VolumeSource,
};

use super::{CONFIGS, KEYS};
use crate::chance::Chance;
use crate::model::NS;
use crate::model::pod::Template;
use crate::model::program::Program;

pub fn random(chance: &mut Chance) -> Template {
    let mut template = Template {
        containers: Vec::new(),
        programs: Vec::new(),
        volumes: Vec::new(),
        stateful: chance.percent(25),
    };
    if chance.percent(10) {
        init(&mut template, chance);
    }
    if chance.percent(15) {
        let program = program(chance);
        let kind = if chance.percent(50) {
            ContainerKind::Sidecar
        } else {
            ContainerKind::Main
        };
        let beside = container("beside", kind, program);
        add(&mut template, beside, program, chance);
    }
    let program = program(chance);
    let mut app = container("app", ContainerKind::Main, program);
    if let Some(scratch) = template.volumes.iter().find(|v| v.scratch) {
        app.mounts.push(whole(&scratch.name, SCRATCH));
    }
    add(&mut template, app, program, chance);
    template
}

/// Where an init container leaves its copies.
const SCRATCH: &str = "/scratch";

/// An init container that takes a config by one way, and often leaves a copy of it for the app.
fn init(template: &mut Template, chance: &mut Chance) {
    let mut init = container("init", ContainerKind::Init, Program::Watches);
    match chance.below(4) {
        0 => env(&mut init, chance),
        1 => env_from(&mut init, chance),
        2 => mount(template, &mut init, Program::Watches, chance, false),
        _ => mount(template, &mut init, Program::Watches, chance, true),
    }
    if chance.percent(70) {
        template.volumes.push(Volume {
            name: "scratch".to_owned(),
            projected: false,
            scratch: true,
            sources: Vec::new(),
        });
        init.mounts.push(whole("scratch", SCRATCH));
    }
    template.containers.push(init);
    template.programs.push(Program::Watches);
}

fn whole(volume: &str, path: &str) -> Mount {
    Mount {
        volume: volume.to_owned(),
        path: path.to_owned(),
        sub_path: None,
        read_only: false,
    }
}

fn program(chance: &mut Chance) -> Program {
    match chance.below(10) {
        0..=3 => Program::Nginx,
        4..=5 => Program::Watches,
        _ => Program::Prints {
            watches: chance.percent(50),
            every: chance.between(5000, 60_000),
        },
    }
}

fn container(name: &str, kind: ContainerKind, program: Program) -> Container {
    Container {
        name: name.to_owned(),
        kind,
        image: program.image().to_owned(),
        env: Vec::new(),
        env_from: Vec::new(),
        mounts: Vec::new(),
        expands: Vec::new(),
        names: Vec::new(),
        status: None,
    }
}

/// Gives a container one to three uses of the configs.
fn add(template: &mut Template, mut container: Container, program: Program, chance: &mut Chance) {
    for _ in 0..1 + chance.below(3) {
        match chance.below(8) {
            0 | 1 => env(&mut container, chance),
            2 | 3 => env_from(&mut container, chance),
            4 | 5 => mount(template, &mut container, program, chance, false),
            6 => mount(template, &mut container, program, chance, true),
            _ => {
                env(&mut container, chance);
                env_from(&mut container, chance);
            }
        }
    }
    template.containers.push(container);
    template.programs.push(program);
}

fn config(chance: &mut Chance) -> ConfigRef {
    let name = if chance.percent(70) {
        CONFIGS[0]
    } else {
        CONFIGS[1]
    };
    ConfigRef::new(ConfigKind::ConfigMap, NS, name)
}

/// A variable, often of the key's own name; a name may stand twice.
fn env(container: &mut Container, chance: &mut Chance) {
    let key = chance.pick(&KEYS);
    let name = if chance.percent(75) {
        key
    } else {
        chance.pick(&KEYS)
    };
    let source = match chance.percent(15) {
        true => EnvSource::Literal {
            expands: Vec::new(),
        },
        false => EnvSource::Key {
            config: config(chance),
            key: key.to_owned(),
            optional: chance.percent(40),
        },
    };
    container.env.push(EnvVar {
        name: name.to_owned(),
        source,
    });
}

fn env_from(container: &mut Container, chance: &mut Chance) {
    let source = EnvFrom {
        config: config(chance),
        prefix: if chance.percent(80) { "" } else { "APP_" }.to_owned(),
        optional: chance.percent(40),
    };
    // A use is told by its config and prefix, so that two alike could not be told apart.
    if !container.env_from.contains(&EnvFrom {
        optional: !source.optional,
        ..source.clone()
    }) && !container.env_from.contains(&source)
    {
        container.env_from.push(source);
    }
}

fn mount(
    template: &mut Template,
    container: &mut Container,
    program: Program,
    chance: &mut Chance,
    sub: bool,
) {
    let holds: Vec<usize> = (0..template.volumes.len())
        .filter(|at| !template.volumes[*at].scratch)
        .collect();
    let place = if holds.is_empty() || chance.percent(40) {
        let number = template.volumes.len();
        template.volumes.push(volume(number, chance));
        number
    } else {
        chance.pick(&holds)
    };
    let volume = &template.volumes[place];
    let number = container.mounts.len();
    let folder = match program {
        Program::Nginx if chance.percent(85) => format!("/etc/nginx/conf{number}.d"),
        _ => format!("/srv/{number}"),
    };
    let sub_path = sub.then(|| {
        let source = &volume.sources[0];
        match &source.items {
            Some(items) => {
                let (_, path) = &items[0];
                let whole = chance.percent(60);
                let part = if whole {
                    path
                } else {
                    path.split('/').next().unwrap()
                };
                SubPath::Path(part.to_owned())
            }
            None => SubPath::Path(chance.pick(&KEYS).to_owned()),
        }
    });
    container.mounts.push(Mount {
        volume: volume.name.clone(),
        path: folder,
        sub_path,
        read_only: false,
    });
}

fn volume(number: usize, chance: &mut Chance) -> Volume {
    let projected = chance.percent(30);
    let mut sources = vec![source(config(chance), chance)];
    if projected && chance.percent(60) {
        let other = CONFIGS
            .iter()
            .find(|name| **name != sources[0].config.name)
            .unwrap();
        sources.push(source(
            ConfigRef::new(ConfigKind::ConfigMap, NS, other),
            chance,
        ));
    }
    Volume {
        name: format!("files{number}"),
        projected,
        scratch: false,
        sources,
    }
}

fn source(config: ConfigRef, chance: &mut Chance) -> VolumeSource {
    let items = chance.percent(30).then(|| {
        let key = chance.pick(&KEYS);
        let mut items = vec![(key.to_owned(), format!("sub/{key}"))];
        let other = chance.pick(&KEYS);
        if other != key {
            items.push((other.to_owned(), other.to_owned()));
        }
        items
    });
    VolumeSource {
        config,
        items,
        optional: chance.percent(30),
    }
}
