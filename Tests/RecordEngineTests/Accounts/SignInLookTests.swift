import RecordModel
import RecordStorage
import TestSupport
import Testing

@testable import RecordEngine

/// How a sign-in page may look.
@Suite struct SignInLookTests {
    @Test(arguments: ["#0a3d62", "#0A3D62", "#000000", "#b3261e"])
    func `A color that is dark enough is kept in small letters`(_ color: String) throws {
        #expect(try SignInLook.checked(color: color) == color.lowercased())
    }

    @Test(arguments: ["", "#fff", "0a3d62", "#0a3d6", "#0a3d6g", "#0a3d622", "red", "#0a3d6\u{301}"])
    func `What is no color is refused`(_ color: String) {
        let error = #expect(throws: ServiceError.self) { try SignInLook.checked(color: color) }
        #expect(error?.reason.contains("is no color") == true)
    }

    @Test func `A color that is too light is refused with its contrast`() {
        let light = #expect(throws: ServiceError.self) { try SignInLook.checked(color: "#ffffff") }
        #expect(light?.reason.contains("is 1.00 with white") == true)
        // 4.54 with white, and less with the page's ground.
        let gray = #expect(throws: ServiceError.self) { try SignInLook.checked(color: "#767676") }
        #expect(gray?.reason.contains("is 4.54 with white") == true)
    }

    @Test func `A picture is known by its first bytes`() throws {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]
        #expect(SignInLook.type(ofLogo: png) == "image/png")
        #expect(SignInLook.type(ofLogo: [0xFF, 0xD8, 0xFF, 0xE0]) == "image/jpeg")
        #expect(SignInLook.type(ofLogo: Array("RIFF0000WEBPVP8 ".utf8)) == "image/webp")
        for text in ["", "<svg", "GIF89a", "RIFF0000WAVE", "RIFF"] {
            #expect(SignInLook.type(ofLogo: Array(text.utf8)) == nil, "\(text)")
        }
        let filler = [UInt8](repeating: 0, count: SignInLook.mostLogoBytes - png.count)
        try SignInLook.check(logo: png + filler)
        #expect(throws: ServiceError.self) { try SignInLook.check(logo: png + filler + [0]) }
        #expect(throws: ServiceError.self) { try SignInLook.check(logo: filler) }
    }

    @Test func `Color and picture stay until they are removed`() async throws {
        try await TestCloud.run { cloud in
            let tenant = Tenant(container: cloud.container, environment: .development)
            let logo: [UInt8] = [0xFF, 0xD8, 0xFF, 1]
            _ = try await SignInPolicies.set(color: "#0A3D62", logo: logo, of: tenant, store: cloud.store)
            var policy = try await SignInPolicies.set(title: "Players", of: tenant, store: cloud.store)
            #expect(policy.color == "#0a3d62" && policy.logo == logo && policy.title == "Players")
            policy = try await SignInPolicies.set(color: "", logo: [], of: tenant, store: cloud.store)
            #expect(policy.color.isEmpty && policy.logo == nil)
        }
    }
}
