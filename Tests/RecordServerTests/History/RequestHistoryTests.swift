import RecordEngine
import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordServer

/// What is remembered of requests, and how it is found again.
@Suite struct RequestHistoryTests {
    private static func filter(_ random: inout Random, _ entries: [RequestLog.Entry]) throws -> RequestFilter
    {
        var filter = RequestFilter()
        if random.oneIn(4) { filter.user = random.pick(["_ada", "_grace", "_nobody"], else: "") }
        if random.oneIn(4) { filter.code = random.pick(ServiceError.Code.all, else: .badRequest).description }
        if random.oneIn(4) { filter.route = random.pick(SomeRequests.routes, else: "") }
        if random.oneIn(4) { filter.statusClass = random.int(1...6) }
        if random.oneIn(4) { filter.container = try ContainerID("iCloud.other") }
        if random.oneIn(4) { filter.environment = .production }
        if random.oneIn(6), let entry = entries.randomElement(using: &random) {
            filter.id = RequestIDPrefix(entry.id.prefix(random.int(1...36)))
        }
        if random.oneIn(4) { filter.milliseconds = Double(random.int(0...50)) }
        if random.oneIn(6) { filter.plan = random.pick([.index, .scan], else: .scan) }
        filter.failedOnly = random.oneIn(4)
        return filter
    }

    /// The filter in words of its own, over what was told.
    private static func passes(_ entry: RequestLog.Entry, _ filter: RequestFilter) -> Bool {
        let codes =
            [entry.trace.code?.description] + entry.trace.itemFailures.map { $0.error.code.description }
        let isFailed = entry.status >= 400 || entry.trace.failedItems > 0
        return (filter.user == nil || filter.user == entry.trace.user)
            && (filter.code == nil || codes.contains(filter.code))
            && (filter.route == nil || filter.route == entry.route)
            && (filter.statusClass == nil || filter.statusClass == entry.status / 100)
            && (filter.container == nil || filter.container == entry.tenant?.container)
            && (filter.environment == nil || filter.environment == entry.tenant?.environment)
            && (filter.id?.matches(entry.uuid) ?? true)
            && (filter.milliseconds.map { entry.duration >= .microseconds(Int64($0 * 1_000)) } ?? true)
            && (filter.plan == nil || filter.plan == entry.trace.plan) && (isFailed || !filter.failedOnly)
    }

    @Test(arguments: Seed.some(5)) func findsAndPagesAsAListDoes(_ seed: Seed) throws {
        var random = seed.random
        let history = RequestHistory()
        var entries: [RequestLog.Entry] = []
        for time in 0..<1_500 {
            entries.append(try SomeRequests.random(time: Int64(time), &random))
            history.record(entries[time])
        }
        for _ in 0..<25 {
            let filter = try Self.filter(&random, entries)
            let expected = entries.reversed().filter { Self.passes($0, filter) }.map(\.uuid)
            let limit = random.int(1...40)
            var found: [KeptRequest] = []
            var place = RequestPlace.newest
            while true {
                let page = history.page(filter, at: place, limit: limit)
                #expect(page.hasNewer == !found.isEmpty)
                found += page.requests
                guard page.hasOlder, let last = page.requests.last else { break }
                place = .olderThan(last.sequence)
            }
            #expect(found.map(\.id) == expected)
            try goBack(history, filter, limit, over: found)
        }
    }

    /// Walks from the oldest request back to the newest.
    private func goBack(
        _ history: RequestHistory, _ filter: RequestFilter, _ limit: Int, over found: [KeptRequest]
    ) throws {
        guard let oldest = found.last else { return }
        var place = RequestPlace.newerThan(oldest.sequence - 1)
        var back: [KeptRequest] = []
        while true {
            let page = history.page(filter, at: place, limit: limit)
            #expect(page.hasOlder == !back.isEmpty)
            back = page.requests + back
            guard page.hasNewer, let first = page.requests.first else { break }
            place = .newerThan(first.sequence)
        }
        #expect(back == found)
    }

    @Test(arguments: Seed.some(10)) func givesBackWhatItWasTold(_ seed: Seed) throws {
        var random = seed.random
        let history = RequestHistory()
        for time in 0..<100 {
            let entry = try SomeRequests.random(time: Int64(time) - 50, &random)
            history.record(entry)
            let kept = try #require(history.request(entry.uuid))
            #expect(kept.time == entry.time && kept.method == entry.method && kept.route == entry.route)
            #expect(kept.container == entry.tenant?.container.rawValue)
            #expect(kept.environment == entry.tenant?.environment && kept.scope == entry.scope)
            #expect(kept.status == entry.status && kept.code == entry.trace.code?.description)
            #expect(kept.user == entry.trace.user && kept.userAgent == entry.userAgent)
            #expect(kept.bytesIn == entry.bytesIn && kept.bytesOut == entry.bytesOut)
            #expect(kept.items == entry.trace.items && kept.failedItems == entry.trace.failedItems)
            #expect(kept.plan == entry.trace.plan && kept.milliseconds == entry.milliseconds)
            #expect(kept.itemFailures.map(\.code) == entry.trace.itemFailures.map(\.error.code.description))
            let error = entry.trace.error as? ServiceError
            #expect(kept.reason == error?.reason && kept.remedy == error?.remedy)
            let cause = error?.cause.map { String(describing: $0) }
            #expect(kept.cause.map { cause?.hasPrefix($0) == true } ?? (cause == nil))
            #expect((kept.cause?.utf8.count ?? 0) <= Limits.requestTextBytes)
        }
    }

    @Test func losesNothingOfManyAtOnce() async {
        let history = RequestHistory()
        let (writers, each) = (8, 500)
        await withTaskGroup { group in
            for _ in 0..<writers {
                group.addTask { for _ in 0..<each { history.record(SomeRequests.entry()) } }
            }
            group.addTask {
                var last = 0
                while last < writers * each {
                    let count = history.count
                    #expect(count >= last)
                    last = count
                    await Task.yield()
                }
            }
        }
        #expect(history.count == writers * each)
        let numbers = history.page(RequestFilter(), limit: .max - 1).requests.map(\.sequence)
        #expect(numbers == (1...UInt64(writers * each)).reversed())
    }

    @Test func keepsFailuresLongerThanWhatWentWell() throws {
        let history = RequestHistory()
        let refused = SomeRequests.entry(status: 409) { $0.trace.code = .conflict }
        let failed = SomeRequests.entry(status: 500) { $0.trace.code = .internalError }
        let inPart = SomeRequests.entry { $0.trace.failedItems = 1 }
        let slow = SomeRequests.entry { $0.duration = .milliseconds(Limits.slowRequestMilliseconds) }
        let good = SomeRequests.entry { $0.duration = .milliseconds(Limits.slowRequestMilliseconds - 1) }
        for entry in [refused, failed, inPart, slow, good] { history.record(entry) }
        for number in 0..<100_000 {
            var entry = good
            entry.bytesIn = number
            history.record(entry)
        }
        for entry in [refused, failed, inPart, slow] { #expect(history.request(entry.uuid) != nil) }
        #expect(history.count <= 4 + Limits.requestHistoryEntries)
        // The service's own failures outlive a flood of what it refused.
        for _ in 0..<40_000 { history.record(refused) }
        #expect(history.request(failed.uuid) != nil)
        #expect(history.request(slow.uuid) == nil)
    }

    @Test func remembersOperatorsOnlyWhereTheyFail() throws {
        let history = RequestHistory()
        var probe = RequestLog.Entry(id: RequestID.next(), method: "GET", time: 0)
        probe.status = 200
        let lost = SomeRequests.entry(status: 404) { $0.isOfClients = false }
        history.record(probe)
        history.record(lost)
        var deed = RequestLog.Entry(id: RequestID.next(), method: "POST", time: 0)
        deed.status = 303
        history.record(deed)
        #expect(history.request(deed.uuid) != nil, "the audit log leads to it")
        var preview = RequestLog.Entry(id: RequestID.next(), method: "POST", time: 0)
        (preview.status, preview.isLook) = (200, true)
        history.record(preview)
        #expect(history.request(preview.uuid) == nil)
        var broken = RequestLog.Entry(id: RequestID.next(), method: "POST", time: 0)
        (broken.status, broken.isLook) = (500, true)
        history.record(broken)
        #expect(history.request(broken.uuid) != nil)
        #expect(history.request(probe.uuid) == nil)
        #expect(history.request(lost.uuid) != nil)
        #expect(history.points(.hour, now: 1_000).allSatisfy { $0.count == 0 })
    }

    @Test func cutsLongTextsBetweenCharacters() throws {
        let history = RequestHistory()
        let long = String(repeating: "🙂", count: 2_000)
        let entry = SomeRequests.entry(status: 500) { entry in
            entry.path = "a" + long
            entry.trace.error = ServiceError(
                .internalError, long, remedy: "ab" + long, cause: ServiceError(.conflict, long))
            entry.trace.itemFailures = (0..<20).map {
                ItemFailure(name: "\($0)", error: ServiceError(.conflict, long))
            }
            entry.trace.failedItems = 20
        }
        history.record(entry)
        let kept = try #require(history.request(entry.uuid))
        for text in [kept.path, kept.reason, kept.remedy, kept.cause] {
            let text = try #require(text)
            #expect(text.utf8.count <= Limits.requestTextBytes)
            #expect(text.utf8.count > Limits.requestTextBytes - 4)
            #expect(!text.unicodeScalars.contains("\u{FFFD}"))
        }
        #expect(kept.itemFailures.first?.code == "CONFLICT")
    }

    @Test func answersPlacesAtTheEnds() {
        let history = RequestHistory()
        #expect(history.page(RequestFilter(), limit: 10).requests.isEmpty)
        for _ in 0..<3 { history.record(SomeRequests.entry()) }
        for (place, count) in [
            (RequestPlace.olderThan(0), 0), (.olderThan(1), 0), (.olderThan(2), 1), (.olderThan(.max), 3),
            (.newerThan(0), 3), (.newerThan(3), 0), (.newerThan(.max), 0),
        ] {
            #expect(history.page(RequestFilter(), at: place, limit: 10).requests.count == count, "\(place)")
        }
    }
}
