/// An error that is planted on purpose: a simulation that does not find it proves nothing.
enum Flaw: String, CaseIterable {
    /// Callers are told before the commit.
    case earlyAcknowledgement
    /// A commit whose answer was lost is taken for one that failed, though it is stored.
    case lostTakenForFailed
    /// What was kept of a request with a key is lost where its commit's answer is.
    case outcomeKeptApart
    /// After a crash, numbers are given again.
    case numbersAgain
    /// Reads are answered from the state before the last commit.
    case readBehind
    /// A write that is decided again was not undone before.
    case retryWithoutUndo
    /// A write that was refused stays.
    case refusedStays
    /// A deletion leaves nothing in the feed.
    case noTombstone
    /// A change does not move its record in the feed.
    case feedStandsStill
    /// The log misses changes of a commit with several writes.
    case unlogged
    /// Quotas are decided by the usage before the commit's first write.
    case laggingUsage
    /// A crash in the middle of a commit leaves the first of its writes only, though all were told.
    case halfCommit
}
