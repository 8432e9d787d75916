//! `demo --serve`: the cluster in memory for other programs of this machine, with a kubeconfig by which they find it.

use std::io::{self, Write};
use std::net::SocketAddr;

use tempfile::NamedTempFile;
use tokio::net::TcpListener;

use super::commands::quiet_when_closed;
use super::demo::CONTEXT;
use super::effects;
use super::signals::{Caught, Signals};
use crate::error::Error;
use crate::sim::Sim;
use crate::sim::serve::serve_loopback;

/// Serves it until a signal ends it. The kubeconfig goes with it.
pub(super) async fn serve(sim: &Sim, address: SocketAddr, namespace: &str) -> Result<(), Error> {
    let refused = |error: io::Error| {
        Error::new(format!("{address} could not be listened on."))
            .because(error)
            .hint("Another program may have it; port 0 takes any that is free.")
    };
    let listener = TcpListener::bind(address).await.map_err(refused)?;
    let address = listener.local_addr().map_err(refused)?;
    let file = kubeconfig(address, namespace)
        .map_err(|error| Error::new("The kubeconfig could not be written.").because(error))?;
    let mut signals =
        Signals::new().map_err(|error| Error::new("Signals could not be heard.").because(error))?;
    let note = format!(
        "Serving on http://{address} until it is stopped (Ctrl-C). In another terminal:\n  \
         export KUBECONFIG={}\n  kubectl get pods\n  confsplit\n",
        shell_words::quote(&file.path().to_string_lossy())
    );
    let mut out = io::stdout().lock();
    quiet_when_closed(out.write_all(note.as_bytes()).and_then(|()| out.flush()))?;
    drop(out);
    let serving = serve_loopback(sim.clone(), listener);
    tokio::pin!(serving);
    loop {
        tokio::select! {
            ended = &mut serving => return ended.map_err(refused),
            caught = signals.next() => match caught {
                Caught::End => return Ok(()),
                // Whoever continues it goes on with the same cluster.
                Caught::Stop => effects::stop()
                    .map_err(|error| Error::new("It could not be stopped.").because(error))?,
            },
        }
    }
}

/// It is removed when it is dropped.
fn kubeconfig(address: SocketAddr, namespace: &str) -> io::Result<NamedTempFile> {
    let mut file = tempfile::Builder::new()
        .prefix("confsplit-demo-")
        .suffix(".kubeconfig")
        .tempfile()?;
    write!(
        file,
        "apiVersion: v1\nkind: Config\ncurrent-context: {CONTEXT}\n\
         clusters:\n- name: {CONTEXT}\n  cluster: {{server: \"http://{address}\"}}\n\
         users:\n- name: {CONTEXT}\n  user: {{}}\n\
         contexts:\n- name: {CONTEXT}\n  context: {{cluster: {CONTEXT}, user: {CONTEXT}, namespace: {namespace}}}\n"
    )?;
    file.flush()?;
    Ok(file)
}
