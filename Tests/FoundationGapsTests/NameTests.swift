import Foundation
import FoundationGaps
import Testing

private typealias NameFormatter = FoundationGaps.PersonNameComponentsFormatter

@Suite struct NameTests {
    private func name(
        _ given: String?, _ family: String?, middle: String? = nil, prefix: String? = nil,
        suffix: String? = nil,
        nickname: String? = nil
    ) -> PersonNameComponents {
        var name = PersonNameComponents()
        (name.givenName, name.familyName, name.middleName) = (given, family, middle)
        (name.namePrefix, name.nameSuffix, name.nickname) = (prefix, suffix, nickname)
        return name
    }

    /// The first is the example of
    /// <https://developer.apple.com/documentation/foundation/personnamecomponents/formatstyle/style-swift.property>.
    @Test func `Each style writes its parts`() {
        let clark = name("Thomas", "Clark", middle: "Louis", prefix: "Dr.", suffix: "Esq.", nickname: "Tom")
        let chinese = name("明", "王")
        let empty = name(nil, nil)
        let cases: [(PersonNameComponents, NameFormatter.Style, String)] = [
            (clark, .long, "Dr. Thomas Louis Clark Esq."), (clark, .medium, "Thomas Clark"),
            (clark, .default, "Thomas Clark"), (clark, .short, "Tom"), (clark, .abbreviated, "TC"),
            (chinese, .medium, "王明"), (chinese, .long, "王明"), (chinese, .abbreviated, "王"),
            (name("Ada", nil), .medium, "Ada"), (name(nil, "Lovelace"), .short, "Lovelace"),
            (empty, .long, ""), (empty, .abbreviated, ""),
        ]
        for (name, style, text) in cases {
            #expect(NameFormatter.localizedString(from: name, style: style) == text)
        }
        #expect(clark.formatted() == "Thomas Clark" && clark.formatted(.name(style: .short)) == "Tom")
    }

    @Test func `The way that a name is spoken is written where asked`() {
        var person = name("明", "王")
        person.phoneticRepresentation = name("Ming", "Wang")
        let text = NameFormatter.localizedString(from: person, style: .medium, options: .phonetic)
        #expect(text == "Ming Wang")
        #expect(NameFormatter.localizedString(from: name("a", "b"), style: .medium, options: .phonetic) == "")
    }

    @Test func `A name is read as given, middle and family name`() {
        let formatter = NameFormatter()
        let read = formatter.personNameComponents(from: " Ada  King Noel Lovelace ")
        #expect(read?.givenName == "Ada" && read?.middleName == "King Noel" && read?.familyName == "Lovelace")
        #expect(formatter.personNameComponents(from: "Ada")?.familyName == nil)
        #expect(formatter.personNameComponents(from: " \n") == nil)
    }
}
