import RecordModel
import TestSupport
import Testing

@testable import RecordServer

@Suite struct RejectedWritesTests {
    private struct Met {
        var tenant: Tenant
        var gap: SchemaGap
        var time: Int64
        var request: RequestID
    }

    @Test(arguments: Seed.some(10)) func countsTheLastDayAsAListDoes(_ seed: Seed) throws {
        var random = seed.random
        let writes = RejectedWrites()
        let tenants = [try SomeRequests.tenant("a", .production), try SomeRequests.tenant("b", .production)]
        var all: [Met] = []
        var time: Int64 = 1_700_000_000_000
        for _ in 0..<300 {
            time += Int64(random.int(0...2_000_000))
            let type = random.pick(["T", "U"], else: "")
            let field = random.pick([nil, "f", "g"], else: nil)
            let gap = field.map { SchemaGap.field($0, nil, of: type) } ?? .type(type)
            let met = Met(
                tenant: random.pick(tenants, else: tenants[0]), gap: gap, time: time,
                request: RequestID.next())
            all.append(met)
            writes.note([gap, gap], of: met.tenant, time: time, request: met.request, user: "_ada")
        }
        let now = time + Int64(random.int(0...100_000_000))
        let hour = RejectedWrites.hour
        for entry in writes.entries(now: now) {
            let mine = all.filter { $0.tenant == entry.tenant && $0.gap == entry.gap }
            #expect(entry.count == mine.count { $0.time / hour > now / hour - 24 })
            #expect(entry.last == mine.last?.time && entry.request == mine.last?.request)
            #expect(entry.first == mine.first?.time)
        }
        let recent = all.filter { $0.time / hour > now / hour - 24 }
        #expect(
            writes.entries(now: now).count == Set(recent.map { "\($0.tenant) \($0.gap)" }).count)
        #expect(
            writes.entries(of: tenants[0], now: now)
                == writes.entries(now: now).filter { $0.tenant == tenants[0] })
        #expect(writes.entries(now: now + 25 * hour).isEmpty)
    }

    @Test func holdsSoManyAndNoMore() throws {
        let writes = RejectedWrites()
        let tenant = try SomeRequests.tenant()
        for number in 0...Limits.rejectedWriteKinds {
            writes.note(
                [.field("f\(number)", FieldType(.string), of: "T")], of: tenant,
                time: Int64(number), request: RequestID.next(), user: nil)
        }
        let entries = writes.entries(now: 1_000)
        #expect(entries.count == Limits.rejectedWriteKinds)
        #expect(!entries.contains { $0.gap.field == "f0" }, "the one met longest ago gave way")
    }

    @Test func forgetsWhatWasSeenAndNoMore() throws {
        let writes = RejectedWrites()
        let tenants = [try SomeRequests.tenant("a", .production), try SomeRequests.tenant("b", .production)]
        for (number, tenant) in [tenants[0], tenants[0], tenants[1]].enumerated() {
            writes.note(
                [.field("f\(number)", nil, of: "T")], of: tenant, time: Int64(100 + number),
                request: RequestID.next(), user: nil)
        }
        #expect(writes.forget(of: tenants[0], upTo: 100) == 1, "f1 was met after the page was made")
        #expect(writes.entries(now: 1_000).map(\.gap.field) == ["f2", "f1"])
        #expect(writes.forget(upTo: 101) == 1)
        #expect(writes.entries(now: 1_000).map(\.gap.field) == ["f2"], "another container's")
        writes.note(
            [.field("f0", nil, of: "T")], of: tenants[0], time: 200, request: RequestID.next(), user: nil)
        #expect(writes.entries(now: 1_000).first?.count == 1, "what is met again counts from one")
    }

    @Test func `Names that no schema can have are not kept`() throws {
        let tenant = Tenant(container: try ContainerID("iCloud.test"), environment: .production)
        let writes = RejectedWrites()
        let long = String(repeating: "x", count: Limits.nameLength + 1)
        writes.note(
            [.type(long), .field(long, nil, of: "T"), .type("T")], of: tenant, time: 1,
            request: RequestID.next(),
            user: nil)
        #expect(writes.entries(now: 2).map(\.gap) == [.type("T")])
    }
}
