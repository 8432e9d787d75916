//! A sequence in words: what the cluster is.

use confsplit::model::{Container, EnvSource, Mount, SubPath, Volume, VolumeSource};

use crate::model::pod::Template;

/// One line for each container.
pub fn describe(template: &Template) -> Vec<String> {
    let pairs = template.containers.iter().zip(&template.programs);
    pairs
        .map(|(container, program)| {
            format!(
                "{:?} container {} ({program:?}): {}",
                container.kind,
                container.name,
                uses(template, container).join("; ")
            )
        })
        .collect()
}

fn uses(template: &Template, container: &Container) -> Vec<String> {
    let env_from = container.env_from.iter().map(|e| {
        let prefix = if e.prefix.is_empty() {
            ""
        } else {
            " with prefix"
        };
        format!("envFrom {}{prefix}{}", e.config.name, maybe(e.optional))
    });
    let env = container.env.iter().map(|v| match &v.source {
        EnvSource::Literal { .. } | EnvSource::File { .. } | EnvSource::Other => {
            format!("env {} fixed", v.name)
        }
        EnvSource::Key {
            config,
            key,
            optional,
        } => format!(
            "env {} from {}/{key}{}",
            v.name,
            config.name,
            maybe(*optional)
        ),
    });
    let mounts = container.mounts.iter().map(|mount| {
        let volume = &template.volumes[template.volume(&mount.volume)];
        spoken(mount, volume)
    });
    env_from.chain(env).chain(mounts).collect()
}

fn spoken(mount: &Mount, volume: &Volume) -> String {
    let sub = match &mount.sub_path {
        Some(SubPath::Path(sub) | SubPath::Expr(sub)) => format!(" subPath {sub}"),
        None => String::new(),
    };
    let sources: Vec<String> = volume.sources.iter().map(source).collect();
    let kind = if volume.projected {
        "projected"
    } else {
        "volume"
    };
    format!(
        "{} from {kind} {} of {}{sub}",
        mount.path,
        volume.name,
        sources.join(" and ")
    )
}

fn source(source: &VolumeSource) -> String {
    let items = source.items.iter().flatten();
    let items: Vec<String> = items
        .map(|(key, path)| format!("{key} as {path}"))
        .collect();
    let all = if items.is_empty() {
        String::new()
    } else {
        format!(" ({})", items.join(", "))
    };
    format!("{}{all}{}", source.config.name, maybe(source.optional))
}

fn maybe(optional: bool) -> &'static str {
    if optional { " (optional)" } else { "" }
}
