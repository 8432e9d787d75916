//! `confsplit demo --serve` as another program has it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A cluster that is served to other programs, until it is dropped.
pub struct Served {
    pub child: Child,
    pub address: String,
    pub kubeconfig: PathBuf,
}

impl Served {
    pub fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_confsplit"))
            .args(["demo", "--serve", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let first = lines.next().unwrap().unwrap();
        let address = first.split("http://").nth(1).unwrap();
        let address = address.split(' ').next().unwrap().to_owned();
        let second = lines.next().unwrap().unwrap();
        let kubeconfig = second.split("KUBECONFIG=").nth(1).unwrap().into();
        Self {
            child,
            address,
            kubeconfig,
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        // Only a failed test leaves it running.
        if matches!(self.child.try_wait(), Ok(None)) {
            drop(self.child.kill());
            drop(self.child.wait());
        }
    }
}
