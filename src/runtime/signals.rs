//! The signals that end or stop a program: each would else leave the terminal raw.

/// What a signal asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Caught {
    End,
    /// Stop, as Ctrl-Z stops a program. No such thing exists on Windows.
    #[cfg_attr(not(unix), expect(dead_code, reason = "only Unix stops programs"))]
    Stop,
}

#[cfg(unix)]
pub(super) use unix::Signals;
#[cfg(windows)]
pub(super) use windows::Signals;

/// Has a write beyond `ulimit -f` fail as any other does: by its signal it would end the program, and leave the terminal raw.
#[cfg(unix)]
pub(super) fn survive_limits() -> std::io::Result<()> {
    let caught = std::sync::Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGXFSZ, caught).map(drop)
}

#[cfg(windows)]
pub(super) fn survive_limits() -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
mod unix {
    use std::io;

    use futures::FutureExt;
    use signal_hook::consts::SIGTSTP;
    use tokio::signal::unix::{Signal, SignalKind, signal};

    use super::Caught;

    pub(in crate::runtime) struct Signals {
        terminate: Signal,
        interrupt: Signal,
        hangup: Signal,
        quit: Signal,
        stop: Signal,
    }

    impl Signals {
        pub(in crate::runtime) fn new() -> io::Result<Self> {
            Ok(Self {
                terminate: signal(SignalKind::terminate())?,
                interrupt: signal(SignalKind::interrupt())?,
                hangup: signal(SignalKind::hangup())?,
                quit: signal(SignalKind::quit())?,
                stop: signal(SignalKind::from_raw(SIGTSTP))?,
            })
        }

        pub(in crate::runtime) async fn next(&mut self) -> Caught {
            tokio::select! {
                _ = self.terminate.recv() => Caught::End,
                _ = self.interrupt.recv() => Caught::End,
                _ = self.hangup.recv() => Caught::End,
                _ = self.quit.recv() => Caught::End,
                _ = self.stop.recv() => Caught::Stop,
            }
        }

        /// Forgets the signals of the keyboard: they were meant for the program that had the terminal meanwhile.
        pub(in crate::runtime) fn forget_keyboard(&mut self) {
            while self.interrupt.recv().now_or_never().is_some() {}
            while self.quit.recv().now_or_never().is_some() {}
            while self.stop.recv().now_or_never().is_some() {}
        }
    }
}

#[cfg(windows)]
mod windows {
    use std::io;

    use futures::FutureExt;
    use tokio::signal::windows::{CtrlBreak, CtrlC, CtrlClose, ctrl_break, ctrl_c, ctrl_close};

    use super::Caught;

    pub(in crate::runtime) struct Signals {
        interrupt: CtrlC,
        break_: CtrlBreak,
        close: CtrlClose,
    }

    impl Signals {
        pub(in crate::runtime) fn new() -> io::Result<Self> {
            Ok(Self {
                interrupt: ctrl_c()?,
                break_: ctrl_break()?,
                close: ctrl_close()?,
            })
        }

        pub(in crate::runtime) async fn next(&mut self) -> Caught {
            tokio::select! {
                _ = self.interrupt.recv() => Caught::End,
                _ = self.break_.recv() => Caught::End,
                _ = self.close.recv() => Caught::End,
            }
        }

        /// Forgets Ctrl-C: it was meant for the program that had the terminal meanwhile.
        pub(in crate::runtime) fn forget_keyboard(&mut self) {
            while self.interrupt.recv().now_or_never().is_some() {}
        }
    }
}
