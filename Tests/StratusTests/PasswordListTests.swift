import Crypto
import Foundation
import TestSeeds
import Testing

@testable import stratus

/// The operator's file of passwords that were stolen elsewhere.
@Suite struct PasswordListTests {
    private static func hash(_ password: String) -> String {
        Insecure.SHA1.hash(data: Array(password.utf8)).map {
            ($0 < 16 ? "0" : "") + String($0, radix: 16, uppercase: true)
        }.joined()
    }

    private static func with(_ text: String, _ body: (PasswordList) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "passwords-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try body(PasswordList(path: path))
    }

    /// The first and the last of the file are among them.
    @Test(arguments: ["\r\n", "\n"], [0, 1, 2, 3, 1_000])
    func `Every password of a file of hashes is found, and no other`(_ end: String, _ count: Int) throws {
        let passwords = (0...count).map { "a password of number \($0)" }
        // Numbers of other lengths: lines are not equally long.
        let lines = passwords.enumerated().map { "\(Self.hash($1)):\($0 * $0 * $0)" }.sorted()
        for text in [lines.joined(separator: end), lines.map { $0 + end }.joined()] {
            try Self.with(text) { list in
                for password in passwords {
                    let isFound = try list.contains(password)
                    #expect(isFound, "\(password)")
                }
                for number in 0..<200 {
                    let isFound = try list.contains("another one, \(number)")
                    #expect(!isFound, "\(number)")
                }
            }
        }
    }

    @Test func `Hashes may be in small letters and without numbers`() throws {
        try Self.with(
            ["one password", "two passwords"].map(Self.hash).sorted().joined(separator: "\n").lowercased()
        ) {
            let found = try ["one password", "two passwords", "three passwords"].filter($0.contains)
            #expect(found == ["one password", "two passwords"])
        }
    }

    @Test func `A file of passwords has them in any letters`() throws {
        try Self.with("sesame open\r\nTroubadour&3\n\n") { list in
            let found = try ["Sesame Open", "troubadour&3", "sesame", ""].filter(list.contains)
            #expect(found == ["Sesame Open", "troubadour&3"])
        }
    }

    @Test func `A file that helps nobody is told before the server starts`() throws {
        #expect(throws: Failure.self) { try PasswordList(path: "/nowhere/passwords") }
        #expect(throws: Failure.self) { try PasswordList(path: "/tmp") }
        #expect(throws: Failure.self) { try Self.with("") { _ in } }
    }
}
