import Foundation
import RecordStorage
import SQLiteAccess

/// Copies the database between the writes of others. Only the writing thread uses it.
///
/// That thread does it because its connection is the one that writes: its changes reach the copy by themselves, so nobody
/// has to hold a view of the database, and the log can start over meanwhile.
final class CopyWorker {
    /// The longest slice, in seconds. A write that comes meanwhile waits for its end.
    private static let sliceSeconds = 0.002
    /// The pages between two looks at the clock.
    private static let pagesPerStep: Int32 = 32
    /// How long to pause after a slice, as a multiple of its own time: while others write, and while nobody does.
    private static let pauseUnderLoad = 1.0
    private static let pauseAlone = 0.25

    private var orders: [CopyOrder] = []
    private var copy: DatabaseCopy?
    private var nextSlice: UInt64 = 0

    /// Takes what was asked for.
    func add(_ new: [CopyOrder]) { orders += new }

    /// How long the thread may sleep before the next slice, in nanoseconds; nil where nothing is to be copied.
    var sleep: UInt64? {
        guard !orders.isEmpty else { return nil }
        let now = Uptime.nanoseconds
        return nextSlice > now ? nextSlice - now : 0
    }

    /// Does a slice where it is time for one, between two transactions.
    func work(_ connection: Connection, writesWait: Bool) {
        guard let order = orders.first, sleep == 0 else { return }
        assert(!connection.isInTransaction, "pages are copied between transactions")
        let start = Uptime.nanoseconds
        do {
            if order.isGivenUp { throw CancellationError() }
            if try slice(order, connection) { end(.success(())) }
        } catch {
            end(.failure(error))
        }
        let took = Double(Uptime.nanoseconds - start)
        nextSlice = Uptime.nanoseconds + UInt64(took * (writesWait ? Self.pauseUnderLoad : Self.pauseAlone))
    }

    /// Ends what is not done, since the store closes.
    func stop() {
        while !orders.isEmpty { end(.failure(StorageError.closed)) }
    }

    private func slice(_ order: CopyOrder, _ connection: Connection) throws -> Bool {
        let copy = try self.copy ?? DatabaseCopy(of: connection, to: order.path)
        self.copy = copy
        let end = Uptime.nanoseconds + UInt64(Self.sliceSeconds * 1e9)
        defer { order.note(copy.progress) }
        repeat {
            if try copy.step(pages: Self.pagesPerStep) { return true }
        } while Uptime.nanoseconds < end
        return false
    }

    private func end(_ result: Result<Void, any Error>) {
        copy?.finish()
        copy = nil
        guard !orders.isEmpty else { return }
        orders.removeFirst().end(result)
    }
}
