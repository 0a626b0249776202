public import RecordModel
import Synchronization

/// What production's schemas lacked when apps wrote or asked, over the last day.
///
/// Each missing thing is one entry, however often it was met. There are `Limits/rejectedWriteKinds` of them
/// at most; a further one takes the place of the one that was met longest ago.
public final class RejectedWrites: Sendable {
    /// How often one thing was missing.
    public struct Entry: Sendable, Hashable {
        /// Whose schema lacks it.
        public var tenant: Tenant
        /// What is missing.
        public var gap: SchemaGap
        /// How many requests of the last 24 hours met it, to the hour.
        public var count: Int
        /// When it was first met and when last, in milliseconds since 1970.
        public var first: Int64
        public var last: Int64
        /// The last request that met it, and the record name of its user.
        public var request: RequestID
        public var user: String?
    }

    struct Key: Hashable {
        var tenant: Tenant
        var gap: SchemaGap
    }

    /// The requests of each of the last 24 hours.
    struct Tally {
        var first: Int64
        var last: Int64
        var request: RequestID
        var user: String?
        var hours = [Int64](repeating: -1, count: RejectedWrites.hours)
        var counts = [UInt32](repeating: 0, count: RejectedWrites.hours)

        mutating func add(_ time: Int64) {
            let hour = max(0, time) / RejectedWrites.hour
            let place = Int(hour % Int64(RejectedWrites.hours))
            if hours[place] != hour {
                hours[place] = hour
                counts[place] = 0
            }
            if counts[place] < .max { counts[place] += 1 }
        }

        func count(now: Int64) -> Int {
            let hour = max(0, now) / RejectedWrites.hour
            return zip(hours, counts).reduce(0) { sum, part in
                part.0 > hour - Int64(RejectedWrites.hours) && part.0 <= hour ? sum + Int(part.1) : sum
            }
        }
    }

    static let hours = 24
    static let hour: Int64 = 3_600_000

    let tallies = Mutex<[Key: Tally]>([:])

    init() {}

    /// Notes that a request met gaps. Names that no schema can have, of any length, are not kept.
    ///
    /// - Parameters:
    ///   - gaps: what production's schema lacked.
    ///   - tenant: where the request went.
    ///   - time: milliseconds since 1970.
    ///   - request: the request's id.
    ///   - user: who asked; nil where nobody is signed in.
    public func note(_ gaps: [SchemaGap], of tenant: Tenant, time: Int64, request: RequestID, user: String?) {
        let gaps = gaps.filter {
            $0.recordType.utf8.count <= Limits.nameLength && ($0.field?.utf8.count ?? 0) <= Limits.nameLength
        }
        guard !gaps.isEmpty else { return }
        tallies.withLock { tallies in
            for gap in Set(gaps) {
                let key = Key(tenant: tenant, gap: gap)
                if tallies[key] == nil, tallies.count >= Limits.rejectedWriteKinds,
                    let oldest = tallies.min(by: { $0.value.last < $1.value.last })
                {
                    tallies[oldest.key] = nil
                }
                var tally =
                    tallies[key] ?? Tally(first: time, last: time, request: request, user: user)
                tally.add(time)
                tally.last = time
                tally.request = request
                tally.user = user
                tallies[key] = tally
            }
        }
    }

    /// What was missing within the last 24 hours, the latest first.
    ///
    /// - Parameters:
    ///   - tenant: whose; nil for all.
    ///   - now: milliseconds since 1970.
    public func entries(of tenant: Tenant? = nil, now: Int64) -> [Entry] {
        tallies.withLock { tallies in
            tallies.compactMap { key, tally in
                guard tenant == nil || key.tenant == tenant else { return nil }
                let count = tally.count(now: now)
                guard count > 0 else { return nil }
                return Entry(
                    tenant: key.tenant, gap: key.gap, count: count, first: tally.first, last: tally.last,
                    request: tally.request, user: tally.user)
            }
        }
        .sorted { one, other in
            one.last == other.last
                ? "\(one.tenant) \(one.gap)" < "\(other.tenant) \(other.gap)" : one.last > other.last
        }
    }

    /// Forgets what an operator has seen; what is met again counts from one.
    ///
    /// - Parameters:
    ///   - tenant: whose; nil for all.
    ///   - time: what was met later in milliseconds since 1970 stays: nobody has seen it yet.
    /// - Returns: how many entries went.
    @discardableResult
    public func forget(of tenant: Tenant? = nil, upTo time: Int64) -> Int {
        tallies.withLock { tallies in
            let seen = tallies.filter { $0.value.last <= time && (tenant == nil || $0.key.tenant == tenant) }
            for key in seen.keys { tallies[key] = nil }
            return seen.count
        }
    }
}

// What is written to the file.
extension RejectedWrites {
    func write(to writer: inout ByteWriter) {
        let tallies = tallies.withLock { $0 }
        writer.number(UInt64(tallies.count))
        for (key, tally) in tallies {
            writer.text(key.tenant.container.rawValue)
            writer.text(key.tenant.environment.rawValue)
            writer.text(key.gap.kind.rawValue)
            writer.text(key.gap.recordType)
            writer.text(key.gap.field)
            writer.text(key.gap.fieldType?.scalar.rawValue)
            writer.number(key.gap.fieldType?.isList == true ? 1 : 0)
            writer.number(UInt64(key.gap.index?.rawValue ?? 0))
            writer.text(tally.user)
            for time in [tally.first, tally.last] { writer.number(UInt64(bitPattern: time)) }
            for word in [tally.request.high, tally.request.low] { writer.number(word) }
            for place in 0..<Self.hours {
                writer.number(UInt64(tally.hours[place] + 1))
                writer.number(UInt64(tally.counts[place]))
            }
        }
    }

    /// - Throws: ``DamagedHistory`` for bytes that hold no entries.
    func read(from reader: inout ByteReader) throws(DamagedHistory) {
        var read: [Key: Tally] = [:]
        for _ in 0..<(try reader.count(upTo: Limits.rejectedWriteKinds)) {
            let container = try reader.text()
            guard let container = try? ContainerID(container),
                let environment = CloudEnvironment(rawValue: try reader.text())
            else { throw DamagedHistory() }
            let gap = try Self.readGap(&reader)
            let user = try reader.optionalText()
            var tally = Tally(
                first: Int64(bitPattern: try reader.number()), last: Int64(bitPattern: try reader.number()),
                request: RequestID(high: try reader.number(), low: try reader.number()), user: user)
            for place in 0..<Self.hours {
                tally.hours[place] = Int64(try reader.number() & UInt64(Int64.max)) - 1
                tally.counts[place] = UInt32(clamping: try reader.number())
            }
            read[Key(tenant: Tenant(container: container, environment: environment), gap: gap)] = tally
        }
        tallies.withLock { [read] in $0 = read }
    }

    private static func readGap(_ reader: inout ByteReader) throws(DamagedHistory) -> SchemaGap {
        guard let kind = SchemaGap.Kind(rawValue: try reader.text()) else { throw DamagedHistory() }
        var gap = SchemaGap.type(try reader.text())
        gap.kind = kind
        gap.field = try reader.optionalText()
        let scalar = try reader.optionalText().flatMap(FieldType.Scalar.init)
        let isList = try reader.count(upTo: 1) == 1
        gap.fieldType = scalar.map { FieldType($0, isList: isList) }
        let index = try reader.count(upTo: Int(UInt8.max))
        gap.index = index == 0 ? nil : FieldIndexes(rawValue: UInt8(index))
        return gap
    }
}
