import Foundation
import Predicates
import Testing

/// What stops the program: only the initialisers with Apple's signature, which cannot throw.
@Suite struct ExitTests {
    @Test("A malformed format stops with the throwing initialiser's message")
    func predicate() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = NSPredicate(format: "name CONTAIN[c] %@", "x")
        }
        let content = try #require(result).standardErrorContent
        let text = String(decoding: content, as: UTF8.self)
        #expect(text.contains("name CONTAIN[c] %@\n     ^\nDid you mean CONTAINS?"), "\(text)")
    }

    @Test("So does an expression")
    func expression() async {
        await #expect(processExitsWith: .failure) { _ = NSExpression(format: "a +") }
    }

    @Test("A missing argument stops too")
    func argument() async {
        await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "a == %@") }
    }
}
