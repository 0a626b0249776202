import CloudKit
import CoreData
import Testing

@testable import Async2021
@testable import Closures2014
@testable import Stores
@testable import Sync2023

@Suite struct FoundationTests {
    @Test func accountChangesAreASequence() async {
        let center = NotificationCenter()
        let name = await firstAccountChange(in: center) { center.post(name: .CKAccountChanged, object: nil) }
        #expect(name == .CKAccountChanged)
        let posting = Task {
            while !Task.isCancelled {
                center.post(name: .CKAccountChanged, object: nil)
                try? await Task.sleep(nanoseconds: 1_000_000)
            }
        }
        #expect(await countAccountChanges(upTo: 3, in: center) == 3)
        posting.cancel()
    }

    @Test func namesOfPeople() {
        var person = PersonNameComponents()
        (person.namePrefix, person.givenName, person.familyName) = ("Dr.", "Ada", "Lovelace")
        #expect(NamesOfBoth().formatter.string(from: person) == "Dr. Ada Lovelace")
        #expect(NamesOfBoth().initials(of: person) == "AL")
        #expect(NamesOfBoth().key.keyPath == "name")
        #expect(SearchTerm(key: "title", value: "a").comparison.predicateFormat == "title CONTAINS[c] \"a\"")
    }

    @Test func errorsByPointer() throws {
        let folder = FileManager.default.temporaryDirectory
        let file = folder.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        var error: NSError?
        #expect(write(Data("a".utf8), to: file, error: &error) && error == nil)
        #expect(!write(Data(), to: folder.appendingPathComponent("no/such/folder"), error: &error))
        #expect(error?.domain == CKErrorDomain)
    }
}
