import RecordModel
import TestSupport
import Testing

@testable import RecordServer

@Suite struct TenantSeriesTests {
    private static func tenant(_ number: Int) throws -> Tenant {
        Tenant(container: try ContainerID("iCloud.c\(number)"), environment: .production)
    }

    private static func sample(_ status: Int = 200) -> RequestSeries.Sample {
        RequestSeries.Sample(
            time: 1_000_000, status: status, route: "records/query", microseconds: 900, bytesIn: 1,
            bytesOut: 2)
    }

    private static func count(_ series: TenantSeries, _ number: Int) throws -> Int {
        series[try tenant(number)].total(.hour, now: 1_000_000).count
    }

    @Test func keepsThoseThatHadRequestsLast() throws {
        var series = TenantSeries()
        let most = Limits.chartedContainers
        for number in 0..<most { series.record(Self.sample(), of: try Self.tenant(number)) }
        series.record(Self.sample(404), of: try Self.tenant(0))
        series.record(Self.sample(), of: try Self.tenant(most))
        #expect(try Self.count(series, 0) == 2)
        #expect(try Self.count(series, 1) == 0, "the one that was quiet for the longest time made room")
        #expect(try (2...most).allSatisfy { try Self.count(series, $0) == 1 })
    }

    @Test func strangersGetNoSpace() throws {
        var series = TenantSeries()
        series.record(Self.sample(), of: try Self.tenant(0))
        for number in 1...100 {
            for status in [400, 401, 404, 503] {
                series.record(Self.sample(status), of: try Self.tenant(number))
            }
        }
        #expect(try Self.count(series, 0) == 1)
        #expect(try Self.count(series, 1) == 0)
    }

    @Test func areSavedWithTheirOrder() throws {
        var series = TenantSeries()
        let most = Limits.chartedContainers
        for number in 0..<most { series.record(Self.sample(), of: try Self.tenant(number)) }
        series.record(Self.sample(), of: try Self.tenant(0))
        var writer = ByteWriter()
        series.write(to: &writer)
        var reader = ByteReader(writer.bytes[...])
        var read = try TenantSeries(from: &reader)
        #expect(reader.isAtEnd)
        for number in 0..<most { #expect(try Self.count(read, number) == Self.count(series, number)) }
        read.record(Self.sample(), of: try Self.tenant(most))
        #expect(try Self.count(read, 0) == 2)
        #expect(try Self.count(read, 1) == 0)
    }
}
