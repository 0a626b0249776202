import ArgumentParser
import Foundation
import RecordConsole
import RecordStorage
import RecordStorageSQLite
import TestSeeds
import Testing

@testable import stratus

/// What a server says of itself when it starts: to its owner, and to the manager that started it.
@Suite struct FirstStartTests {
    @Test func `Only a terminal is shown a link; a log is told the command that makes one`() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(directory: directory.path)
        let hints = CommandHints(directory: "/srv/data")
        for (isTerminal, shown) in [(false, false), (true, true), (false, false)] {
            let memory = MemoryConsole()
            try await FirstOperator.welcome(
                address: "http://h", store: store, console: memory.console(isTerminal: isTerminal),
                hints: hints)
            #expect(memory.output.isEmpty)
            #expect(memory.error.contains("http://h/console/enter/") == shown, "\(memory.error)")
            #expect(memory.error.contains("stratus operator link --data /srv/data admin") == !shown)
        }
        let tokens = try await store.read(.short) { try $0.operatorTokens(of: "admin") }
        #expect(tokens.map(\.kind) == [.link], "a log makes no link")
        _ = try await Operators.add("ada", to: store, environment: .system)
        let memory = MemoryConsole()
        try await FirstOperator.welcome(
            address: "http://h", store: store, console: memory.console(isTerminal: true), hints: hints)
        #expect(memory.error.isEmpty, "there is another operator, with a secret")
        await store.close()
    }

    @Test func `A version names the commit, which a developer's build has not`() {
        #expect(StratusVersion.commit.wholeMatch(of: /dev|[0-9a-f]{12}/) != nil)
        #expect(StratusVersion.text == "\(StratusVersion.number) (\(StratusVersion.commit))")
        #expect(Stratus.configuration.version == StratusVersion.summary)
        #expect(StratusVersion.summary.hasPrefix(StratusVersion.text + "\nuntested: Apple's platforms"))
    }

    @Test func `Every file that names the version names the same`() throws {
        let folder = Checkout.file("Sources/RecordServer/Resources")
        func found(_ file: String, _ pattern: Regex<(Substring, Substring)>) throws -> Set<String> {
            let text = try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            return Set(text.matches(of: pattern).map { String($0.1) })
        }
        #expect(try found("cloudkit-core.js", /VERSION = "([^"]+)";\nconst WS/) == [StratusVersion.number])
        #expect(try found("openapi.json", /"version": "([^"]+)"/) == [StratusVersion.number])
    }

    #if os(Linux)
    @Test(arguments: [false, true])
    func `A service manager that asks is told that the server listens`(isAbstract: Bool) throws {
        let directory = try TemporaryDirectory()
        let name = isAbstract ? "@stratus-test-\(UUID().uuidString)" : directory.path + "/n"
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = (isAbstract ? [0] : []) + Array(name.utf8.dropFirst(isAbstract ? 1 : 0))
        try #require(path.count < MemoryLayout.size(ofValue: address.sun_path))
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        try #require(bound == 0)
        #expect(ServiceManager.tellReady(environment: ["NOTIFY_SOCKET": name]))
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self) == "READY=1")
    }

    @Test func `Nobody asks, or nobody listens`() {
        #expect(ServiceManager.tellReady(environment: [:]))
        #expect(!ServiceManager.tellReady(environment: ["NOTIFY_SOCKET": "/nowhere/socket"]))
        let long = "/" + String(repeating: "x", count: 200)
        #expect(!ServiceManager.tellReady(environment: ["NOTIFY_SOCKET": long]))
    }
    #endif
}
