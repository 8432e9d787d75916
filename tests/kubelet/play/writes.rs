//! Random writes to the configs, by those who write to them in clusters.

use super::{CONFIGS, KEYS, VALUES};
use crate::model::Data;
use crate::model::api::{Applied, Object};
use crate::model::world::World;

const APPLY: &str = "kubectl-client-side-apply";
const SERVER_SIDE: &str = "argocd-controller";
const UPDATERS: [&str; 3] = ["kubectl-edit", "kubectl-patch", "shop-operator"];

/// Both configs, or one: what refers to the other waits, or goes without it.
pub fn create_all(world: &mut World) {
    for name in CONFIGS {
        if world
            .chance
            .percent(if name == CONFIGS[0] { 96 } else { 80 })
        {
            let immutable = world.chance.percent(12);
            let data = data(world, 85);
            create(world, name, data, immutable);
        }
    }
}

fn data(world: &mut World, each: usize) -> Data {
    let mut data = Data::new();
    for key in KEYS {
        if world.chance.percent(each) {
            data.insert(key, world.chance.pick(&VALUES));
        }
    }
    data.entry(KEYS[0]).or_insert(VALUES[0]);
    data
}

fn create(world: &mut World, name: &'static str, data: Data, immutable: bool) {
    let mut object = Object::new(name, data.clone());
    object.immutable = immutable;
    if world.chance.percent(30) {
        object.labels.insert("team", "shop");
    }
    let now = world.now;
    let how = world.chance.below(4);
    match how {
        0 => {
            object.applied = Some(Applied {
                data: data.clone(),
                resource_version: None,
            });
            world.api.create(object, APPLY, now);
        }
        1 => world.api.create(object, "kubectl-create", now),
        2 => world.api.create(object, "shop-operator", now),
        _ => {
            object.labels.clear();
            object.immutable = false;
            world.api.create_applied(object, SERVER_SIDE, now);
        }
    }
    let by = [APPLY, "kubectl-create", "shop-operator", SERVER_SIDE][how];
    let frozen = world.api.live(name).is_some_and(|o| o.immutable);
    world.tell(|| {
        format!(
            "{name} is created by {by} with {data:?}{}",
            if frozen { ", immutable" } else { "" }
        )
    });
}

pub fn write(world: &mut World) {
    let name = if world.chance.percent(70) {
        CONFIGS[0]
    } else {
        CONFIGS[1]
    };
    let Some(live) = world.api.live(name).cloned() else {
        let immutable = world.chance.percent(15);
        let data = data(world, 85);
        return create(world, name, data, immutable);
    };
    // What is immutable changes by being made anew.
    let choice = if live.immutable && world.chance.percent(70) {
        95
    } else {
        world.chance.below(100)
    };
    match choice {
        0..=24 => set(world, &live),
        25..=34 => remove_key(world, &live),
        35..=44 => back(world, &live),
        45..=52 => label(world, &live),
        53..=58 => unlabel(world, &live),
        59..=72 => apply(world, &live),
        73..=80 => server_side(world, &live),
        81..=85 => replace(world, &live),
        86..=89 => freeze(world, &live),
        _ => recreate(world, &live),
    }
}

/// Writes as an updater, and tells of it.
fn update(
    world: &mut World,
    name: &'static str,
    by: &'static str,
    what: &str,
    change: impl FnOnce(&mut Object),
) {
    let now = world.now;
    let let_in = world.api.update(name, by, now, change);
    let data = world.api.live(name).map(|o| o.data.clone());
    world.tell(|| {
        format!(
            "{by}: {what} of {name}{}, now {data:?}",
            if let_in { "" } else { " (rejected)" }
        )
    });
}

fn set(world: &mut World, live: &Object) {
    let (key, value) = (world.chance.pick(&KEYS), world.chance.pick(&VALUES));
    let by = world.chance.pick(&UPDATERS);
    update(world, live.name, by, "sets a key", |o| {
        o.data.insert(key, value);
    });
}

fn remove_key(world: &mut World, live: &Object) {
    let by = world.chance.pick(&UPDATERS);
    let keys: Vec<_> = live.data.keys().copied().collect();
    if keys.len() > 1 {
        let key = world.chance.pick(&keys);
        update(world, live.name, by, "removes a key", |o| {
            o.data.remove(key);
        });
    }
}

fn back(world: &mut World, live: &Object) {
    let by = world.chance.pick(&UPDATERS);
    let former: Vec<Data> = world.api.former(live.name);
    let data = former[world.chance.below(former.len())].clone();
    update(world, live.name, by, "writes a former content", |o| {
        o.data = data
    });
}

fn label(world: &mut World, live: &Object) {
    let (name, value) = (
        world.chance.pick(&["team", "tier"]),
        world.chance.pick(&["shop", "web"]),
    );
    update(world, live.name, "kubectl-label", "sets a label", |o| {
        o.labels.insert(name, value);
    });
}

fn unlabel(world: &mut World, live: &Object) {
    let name = world.chance.pick(&["team", "tier"]);
    let by = world.chance.pick(&["kubectl-label", "kubectl-edit"]);
    update(world, live.name, by, "removes a label", |o| {
        o.labels.remove(name);
    });
}

/// `kubectl apply` of a file, or of what was fetched and changed: keys that were applied before and are not in it go
/// (kubectl pkg/cmd/apply/patcher.go, three-way merge).
fn apply(world: &mut World, live: &Object) {
    let fetched = world.chance.percent(40);
    let mut wanted = if fetched {
        live.data.clone()
    } else {
        data(world, 80)
    };
    if fetched {
        wanted.insert(world.chance.pick(&KEYS), world.chance.pick(&VALUES));
    }
    let resource_version = fetched.then_some(live.resource_version);
    update(world, live.name, APPLY, "applies", |o| {
        let before = o.applied.take().map(|a| a.data).unwrap_or_default();
        o.data
            .retain(|key, _| wanted.contains_key(key) || !before.contains_key(key));
        o.data.extend(&wanted);
        o.applied = Some(Applied {
            data: wanted,
            resource_version,
        });
    });
}

fn server_side(world: &mut World, live: &Object) {
    let wanted = if world.chance.percent(25) {
        live.data.clone()
    } else {
        data(world, 60)
    };
    let now = world.now;
    let let_in = world.api.apply(live.name, SERVER_SIDE, now, &wanted);
    let data = world.api.live(live.name).map(|o| o.data.clone());
    world.tell(|| {
        format!(
            "{SERVER_SIDE}: applies {wanted:?} to {} by the server{}, now {data:?}",
            live.name,
            if let_in { "" } else { " (rejected)" }
        )
    });
}

/// A whole object in the place of the one that was, with neither its labels nor its annotations.
fn replace(world: &mut World, live: &Object) {
    let data = data(world, 80);
    update(world, live.name, "kubectl-replace", "replaces", |o| {
        o.data = data;
        o.labels.clear();
        o.applied = None;
    });
}

fn freeze(world: &mut World, live: &Object) {
    update(world, live.name, "kubectl-patch", "makes immutable", |o| {
        o.immutable = true
    });
}

/// Deleted, and made again under the same name with the same or another content.
fn recreate(world: &mut World, live: &Object) {
    // Times of the API are whole seconds: what is deleted and made again in the very second in which the first pods were made cannot
    // be told from what they began with, and nobody is that quick.
    world.wait(1000);
    let now = world.now;
    world.api.delete(live.name, now);
    world.tell(|| format!("{} is deleted", live.name));
    let gap = match world.chance.below(3) {
        0 => world.chance.between(10, 300),
        1 => world.chance.between(300, 5000),
        _ => world.chance.between(5000, 40_000),
    };
    world.wait(gap);
    let data = if world.chance.percent(30) {
        live.data.clone()
    } else {
        data(world, 85)
    };
    let immutable = world.chance.percent(if live.immutable { 60 } else { 10 });
    create(world, live.name, data, immutable);
}
