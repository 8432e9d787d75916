//! Random sequences: a seed says what the cluster is, what happens in it, and what is read of it in the end.

mod look;
mod template;
mod words;
mod writes;

pub use words::describe;

use confsplit::model::Snapshot;

use crate::chance::Chance;
use crate::model::Millis;
use crate::model::kubelet::Node;
use crate::model::world::World;

/// The names that configs may have.
pub const CONFIGS: [&str; 2] = ["features", "overrides"];
pub const KEYS: [&str; 3] = ["MODE", "COLOR", "SIZE"];
pub const VALUES: [&str; 4] = ["red", "blue", "green", "black"];

/// A sequence that was played, and what was read of it.
#[derive(Debug)]
pub struct Played {
    pub seed: u64,
    pub world: World,
    pub snapshot: Snapshot,
    /// When the lists were read, by time and by resourceVersion; the rest was read then or a little later.
    pub listed: (Millis, u64),
    /// All clocks are the same.
    pub synchronous: bool,
    pub steps: usize,
}

impl Played {
    /// How much there is to read in it.
    pub fn size(&self) -> usize {
        let containers = self.world.template.containers.iter();
        let uses: usize = containers
            .map(|c| c.env.len() + c.env_from.len() + c.mounts.len())
            .sum();
        2 * self.steps + self.world.pods.len() + uses
    }
}

/// Plays the sequence of a seed.
pub fn play(seed: u64, tell: bool) -> Played {
    let mut chance = Chance::new(seed);
    let synchronous = chance.percent(50);
    let nodes = (0..1 + chance.below(2))
        .map(|_| {
            let most = chance.pick(&[500, 3000, 20_000, 180_000]);
            let offset = chance.between(-most, most);
            let lag = chance.between(0, 200);
            Node::new(if synchronous { 0 } else { offset }, lag)
        })
        .collect();
    let template = template::random(&mut chance);
    let replicas = 1 + chance.below(3);
    let mut world = World::new(template, nodes, chance, tell);
    begin(&mut world, replicas);
    let steps = 1 + world.chance.below(8);
    for _ in 0..steps {
        let pause = world.chance.pause();
        world.wait(pause);
        step(&mut world);
    }
    let pause = world.chance.pause();
    world.wait(pause);
    let listed = (world.now, world.api.counter);
    let snapshot = look::observe(&mut world);
    Played {
        seed,
        world,
        snapshot,
        listed,
        synchronous,
        steps,
    }
}

/// Configs, and pods that take them; in either order.
fn begin(world: &mut World, replicas: usize) {
    let late = world.chance.percent(10);
    if !late {
        writes::create_all(world);
    }
    let pause = world.chance.pause();
    world.wait(pause);
    for _ in 0..replicas {
        world.create(None);
        let pause = world.chance.between(0, 50);
        world.wait(pause);
    }
    if late {
        let pause = world.chance.pause();
        world.wait(pause);
        writes::create_all(world);
    }
}

fn step(world: &mut World) {
    match world.chance.below(100) {
        0..=54 => writes::write(world),
        55..=71 => on_one(world, |world, pod| {
            let running = world.template.running();
            let container = world.chance.pick(&running);
            world.restart(pod, container);
        }),
        72..=84 => on_one(world, World::replace),
        85..=91 => {
            if world.standing().len() < 4 {
                world.create(None);
            }
        }
        92..=95 => {
            for pod in world.standing() {
                world.replace(pod);
            }
        }
        _ => on_one(world, |world, pod| {
            let running = world.template.running();
            let container = world.chance.pick(&running);
            world.reload(pod, container);
        }),
    }
}

fn on_one(world: &mut World, what: impl FnOnce(&mut World, usize)) {
    let standing = world.standing();
    if !standing.is_empty() {
        let pod = world.chance.pick(&standing);
        what(world, pod);
    }
}
