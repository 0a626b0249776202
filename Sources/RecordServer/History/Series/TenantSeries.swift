import RecordModel

/// Counts and durations of the requests of a few containers, each in space of its own.
struct TenantSeries: Sendable {
    private struct Entry: Sendable {
        var series = RequestSeries()
        /// When it was counted in last, by a count of requests.
        var use: UInt64 = 0
    }

    private var entries: [Tenant: Entry] = [:]
    private var uses: UInt64 = 0

    /// Counts a request of a container in an environment.
    ///
    /// A container gets its space with its first request that goes well, for which it needs a token: strangers name any.
    /// Of more than `Limits/chartedContainers` the one that had no request for the longest time makes room.
    mutating func record(_ sample: RequestSeries.Sample, of tenant: Tenant) {
        // Found once: each request comes here.
        guard let index = entries.index(forKey: tenant) ?? room(for: tenant, sample) else { return }
        uses += 1
        entries.values[index].series.record(sample)
        entries.values[index].use = uses
        assert(entries.count <= Limits.chartedContainers)
    }

    /// The new space of a container that has none; nil for one whose request did not go well.
    private mutating func room(for tenant: Tenant, _ sample: RequestSeries.Sample) -> [Tenant: Entry].Index? {
        guard sample.status < 400 else { return nil }
        if entries.count >= Limits.chartedContainers,
            let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key
        {
            entries[oldest] = nil
        }
        entries[tenant] = Entry()
        return entries.index(forKey: tenant)
    }

    /// What was counted of a container; empty where nothing was.
    subscript(tenant: Tenant) -> RequestSeries { entries[tenant]?.series ?? RequestSeries() }

    func write(to writer: inout ByteWriter) {
        writer.number(UInt64(entries.count))
        for (tenant, entry) in entries.sorted(by: { $0.value.use < $1.value.use }) {
            writer.text(tenant.container.rawValue)
            writer.text(tenant.environment.rawValue)
            entry.series.write(to: &writer)
        }
    }

    init() {}

    /// - Throws: ``DamagedHistory`` for bytes that no series has.
    init(from reader: inout ByteReader) throws(DamagedHistory) {
        for _ in 0..<(try reader.count(upTo: Limits.chartedContainers)) {
            // A name that is none makes the series damaged, which is thrown below.
            let container = try? ContainerID(try reader.text())
            let environment = CloudEnvironment(rawValue: try reader.text())
            let series = try RequestSeries(from: &reader)
            guard let container, let environment else { throw DamagedHistory() }
            uses += 1
            entries[Tenant(container: container, environment: environment)] = Entry(series: series, use: uses)
        }
    }
}
