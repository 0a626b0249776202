import HTTPTypes
import Testing

@testable import RecordConsole

@Suite("The console finds its routes")
struct RouteTests {
    @Test("Each route is found by its own pattern")
    func all() {
        for route in Routes.all {
            let found = Routes.find(route.method, route.pattern)
            #expect(found?.0.pattern == route.pattern)
            #expect(found?.1.count == route.parameterCount, "\(route.pattern)")
        }
    }

    @Test("No pattern begins with a parameter, since routes are looked up by their first segment")
    func first() { #expect(Routes.all.allSatisfy { $0.pattern.first?.hasPrefix(":") != true }) }

    @Test("An address that no route has is not found")
    func missing() {
        #expect(Routes.find(.get, ["no", "such", "page"])?.0.pattern == nil)
        #expect(Routes.find(.delete, [])?.0.pattern == nil)
    }
}
