import Dispatch
import Foundation
import Logging
import RecordModel
import Synchronization

extension RequestHistory {
    /// How often the memory is saved while the server runs.
    private static let secondsBetweenSaves = 60
    /// How many good requests are saved while the server runs; when it stops, all of them are.
    private static let requestsOfARunningServer = 2_000
    /// How many requests are copied before those that wait to be remembered get their turn.
    private static let requestsPerLook = 256

    /// Saves the memory once a minute, until the task is cancelled, and then again and whole.
    func keep() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: .seconds(Self.secondsBetweenSaves))
            if Task.isCancelled { break }
            await withCheckedContinuation { continuation in
                // Files are not written on the threads that answer requests.
                DispatchQueue.global(qos: .utility).async {
                    self.save(routine: Self.requestsOfARunningServer)
                    continuation.resume()
                }
            }
        }
        save()
    }

    /// Writes the memory to its file: a reader finds the old file or the new one, whole.
    ///
    /// A failure is logged.
    ///
    /// - Parameter routine: how many of the good requests are written, the newest; nothing at all is written then
    ///   where no request came since the last time. Nil writes all in any case.
    public func save(routine: Int? = nil) {
        guard let path else { return }
        let sequence = withState { $0.sequence }
        // The last save is a whole one, whatever was saved before.
        guard routine == nil || sequence != withState({ $0.savedSequence }) else { return }
        do {
            try HistoryFile.write(contents(sequence, routine: routine), to: path)
            withState { $0.savedSequence = sequence }
        } catch {
            logger.warning(
                "the history of requests was not saved", metadata: ["file": "\(path)", "error": "\(error)"])
        }
    }

    func load() {
        guard let path else { return }
        do {
            guard let contents = try HistoryFile.read(path) else { return }
            var reader = ByteReader(contents)
            var read = State()
            read.sequence = try reader.number()
            for shelf in read.shelves.indices { try read.readShelf(shelf, from: &reader) }
            read.series = try RequestSeries(from: &reader)
            try rejectedWrites.read(from: &reader)
            // Files of version 0.1 end here.
            if !reader.isAtEnd { read.tenants = try TenantSeries(from: &reader) }
            guard reader.isAtEnd else { throw DamagedHistory() }
            read.savedSequence = read.sequence
            withState { [read] in $0 = read }
        } catch {
            logger.warning(
                "the history of requests starts over: its file cannot be used",
                metadata: ["file": "\(path)", "reason": "\(error)"])
        }
    }

    private func contents(_ sequence: UInt64, routine: Int?) -> [UInt8] {
        var writer = ByteWriter()
        writer.number(sequence)
        for shelf in Shelf.allCases {
            write(shelf, upTo: sequence, newest: shelf == .routine ? routine ?? .max : .max, to: &writer)
        }
        withState { $0.series }.write(to: &writer)
        rejectedWrites.write(to: &writer)
        withState { $0.tenants }.write(to: &writer)
        return writer.bytes
    }

    private func write(
        _ shelf: Shelf, upTo last: UInt64, newest: Int, to writer: inout ByteWriter
    ) {
        var next: UInt64? = withState { state in
            let ring = state.shelves[shelf.rawValue]
            return ring.count == 0 ? nil : ring.sequence(at: max(0, ring.count - newest))
        }
        while let start = next {
            next = withState { state in
                state.copy(shelf.rawValue, from: start, upTo: last, Self.requestsPerLook, to: &writer)
            }
        }
        writer.number(0)
    }
}

extension RequestHistory.State {
    /// Copies so many requests of a shelf.
    ///
    /// - Returns: the number to go on with; nil at the end.
    fileprivate func copy(
        _ shelf: Int, from first: UInt64, upTo last: UInt64, _ count: Int, to writer: inout ByteWriter
    ) -> UInt64? {
        let start = shelves[shelf].position(notBelow: first)
        for position in start..<min(start + count, shelves[shelf].count) {
            let sequence = shelves[shelf].sequence(at: position)
            if sequence > last { return nil }
            writer.number(sequence)
            shelves[shelf].withRecord(at: position) { bytes in
                writer.number(UInt64(bytes.count))
                writer.raw(bytes)
            }
        }
        return start + count < shelves[shelf].count ? shelves[shelf].sequence(at: start + count) : nil
    }

    /// Fills a shelf with what was copied from one.
    fileprivate mutating func readShelf(_ shelf: Int, from reader: inout ByteReader) throws(DamagedHistory) {
        var last: UInt64 = 0
        while true {
            let number = try reader.number()
            if number == 0 { return }
            guard number > last, number <= sequence else { throw DamagedHistory() }
            last = number
            let length = try reader.count(upTo: shelves[shelf].byteCapacity)
            let bytes = try reader.raw(length)
            shelves[shelf].append(number, length: length) { $0.copyBytes(from: bytes) }
        }
    }
}
