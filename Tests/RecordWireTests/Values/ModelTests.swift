import RecordModel
import TestSupport
import Testing

@Suite struct ModelTests {
    @Test(
        arguments: [
            ("a", true), ("iCloud.com.example-app_2", true), (String(repeating: "a", count: 255), true),
        ]
            + ["", String(repeating: "a", count: 256), "ê", "a b", "a/b", "a\0", "a@b", "a[", "ａ"].map {
                ($0, false)
            })
    func `Container identifiers are plain ASCII`(_ text: String, _ isGood: Bool) {
        #expect(((try? ContainerID(text)) != nil) == isGood)
    }

    @Test(
        arguments: [("a", true), (" ~!/\"';--", true), (String(repeating: "r", count: 255), true)]
            + ["", String(repeating: "r", count: 256), "_a", "é", "a\n", "a\0b", "\u{7F}"].map { ($0, false) }
    )
    func `Zone names are printable ASCII without a leading underscore`(_ name: String, _ isGood: Bool) {
        #expect(((try? Names.checkZoneName(name)) != nil) == isGood)
    }

    @Test func `Texts are told apart by their scalars, though Swift takes them for the same`() {
        let (one, two) = ("\u{E9}", "e\u{301}")
        #expect(one == two && ExactText(one) != ExactText(two) && !one.isExactly(two))
        #expect(Set([ExactText(one), ExactText(two)]).count == 2)
        #expect(Set([RecordID(recordName: one), RecordID(recordName: two)]).count == 2)
        #expect(
            [one, two, "f"].sortedExactly().map { Array($0.utf8) } == [two, "f", one].map { Array($0.utf8) })
    }

    @Test(
        arguments: [("a", true), ("CD_x9", true), (String(repeating: "f", count: 255), true)]
            + ["", String(repeating: "f", count: 256), "_a", "9a", "a-b", "a b", "é", "a\"", "a;"].map {
                ($0, false)
            })
    func `Type and field names start with a letter`(_ name: String, _ isGood: Bool) {
        #expect(((try? Names.checkIdentifier(name, what: "field name")) != nil) == isGood)
    }

    @Test func `The type of shares alone has dots, and so have its fields after cloudkit`() {
        func isType(_ name: String) -> Bool { (try? Names.checkRecordType(name)) != nil }
        func isField(_ name: String, _ type: String) -> Bool {
            (try? Names.checkField(name, ofType: type)) != nil
        }
        #expect(isType("cloudkit.share") && isType("Note"))
        for name in ["cloudkit.shares", "cloudkit.", "Cloudkit.share", "a.b", "cloudkit\u{2024}share"] {
            #expect(!isType(name), "\(name)")
        }
        for name in ["cloudkit.title", "cloudkit.x_1", "starts"] {
            #expect(isField(name, "cloudkit.share") && isField(name, "Note") == (name == "starts"), "\(name)")
        }
        for name in ["cloudkit.", "cloudkit.a.b", "cloudkit._a", "cloudkit.\u{301}a", "a.b", "cloudkit.a b"] {
            #expect(!isField(name, "cloudkit.share"), "\(name)")
        }
    }

    @Test(arguments: Seed.some(3))
    func `Distances are symmetric, never negative, and obey the triangle`(_ seed: Seed) {
        var random = seed.random
        func place() -> Location {
            Location(
                latitude: Double.random(in: -90...90, using: &random),
                longitude: Double.random(in: -180...180, using: &random))
        }
        for _ in 0..<500 {
            let (first, second, third) = (place(), place(), place())
            let distance = first.distanceMetres(to: second)
            #expect(distance >= 0 && distance <= Location.earthRadiusMetres * .pi + 1)
            #expect(abs(distance - second.distanceMetres(to: first)) < 1e-3)
            #expect(first.distanceMetres(to: third) <= distance + second.distanceMetres(to: third) + 1e-3)
            #expect(first.distanceMetres(to: first) == 0)
        }
    }

    @Test func `A known distance is right to a tenth of a percent`() {
        let berlin = Location(latitude: 52.52, longitude: 13.405)
        let paris = Location(latitude: 48.8566, longitude: 2.3522)
        #expect(abs(berlin.distanceMetres(to: paris) - 877_460) < 900)
    }

    @Test(arguments: [Double.nan, .infinity, 90.0001, -91])
    func `Degrees out of range are not valid`(_ latitude: Double) {
        #expect(!Location(latitude: latitude, longitude: 0).isValid)
        #expect(!Location(latitude: 0, longitude: latitude * 2).isValid)
    }
}
