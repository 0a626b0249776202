import ArgumentParser
import DemoData
import Foundation
import TestSeeds
import Testing

@testable import stratus

/// Where the demo's files are found, and what is said where they are not.
@Suite struct DemoFolderTests {
    @Test func packagesHaveThemBesideTheProgram() {
        #expect(DemoFolder.places(of: "/usr/bin/stratus").contains("/usr/share/stratus/demo"))
        #expect(
            DemoFolder.places(of: "/opt/stratus-1/bin/stratus").contains("/opt/stratus-1/share/stratus/demo"))
        #expect(
            DemoFolder.places(of: "/src/.build/x86_64-linux/debug/stratus").contains("/src/Examples/Demo"))
        #expect(DemoFolder.places(of: "stratus").first == "Examples/Demo")
    }

    @Test func theCheckoutHasThem() throws {
        #expect(try DemoData(DemoFolder.files(named: nil)).count == 50_500)
    }

    @Test func missingOnesAreAskedFor() throws {
        let failure = #expect(throws: Failure.self) {
            try DemoFolder.files(named: nil, places: ["/nonexistent/a", "/nonexistent/b"])
        }
        #expect(failure?.exitCode == Failure.usageCode)
        #expect(failure?.sentence.contains("/nonexistent/a, /nonexistent/b") == true)
        #expect(failure?.remedy?.contains("--demo-files") == true)
        #expect(failure?.remedy?.contains("STRATUS_DEMO_FILES") == true)
        // A folder that was named is not passed over for another one.
        #expect(throws: Failure.self) { try DemoFolder.files(named: "/nonexistent") }
    }

    @Test func whatIsWrongInAFileReachesThePerson() throws {
        let directory = try TemporaryDirectory()
        _ = try directory.file("cities.json", "[]")
        let error = try #require(throws: DemoFilesError.self) {
            try DemoFolder.files(named: directory.path)
        }
        let failure = try #require(Failure(error))
        #expect(failure.sentence.contains(directory.path + "/cities.json"))
        #expect(failure.remedy?.isEmpty == false)
    }

    @Test func theEnvironmentMayNameThem() throws {
        let layers = SettingsLayers(
            flags: [:], environment: ["STRATUS_DEMO_FILES": "/srv/demo"], file: [:])
        #expect(try layers.optional(Settings.demoFiles) == "/srv/demo")
        #expect(try DemoCommand.parse(["--demo-files", "/d"]).demoFiles == "/d")
    }
}
