import RecordWire
import Testing

@testable import DemoData

/// The restaurants' pictures: a PNG that any reader takes, the same each time, and small.
@Suite struct PictureTests {
    private let files: DemoFiles
    private let data: DemoData

    init() throws {
        files = try DemoFiles(folder: demoFolder)
        data = DemoData(files)
    }

    @Test func allAreSmallPNGsOfOneSize() {
        let pictures = files.pictures.values.joined()
        #expect(pictures.count == 40)
        #expect(Set(pictures).count == 40)
        for picture in pictures {
            #expect((2_000...40_000).contains(picture.count))
            // The header follows the signature: its length, its name, and the size in pixels.
            #expect(picture[8..<16].elementsEqual([0, 0, 0, 13] + Array("IHDR".utf8)))
            #expect(picture[16..<24].elementsEqual([0, 0, 2, 48, 0, 0, 1, 164]))
            #expect(picture.suffix(8).prefix(4).elementsEqual("IEND".utf8))
        }
    }

    @Test func followFromTheSeed() {
        let numbers = 0..<100
        let pictures = numbers.map { data.picture(ofRestaurant: $0) }
        #expect(pictures == numbers.map { data.picture(ofRestaurant: $0) })
        #expect(Set(pictures).count >= 30)
        #expect(pictures != numbers.map { DemoData(files, seed: 7).picture(ofRestaurant: $0) })
    }

    @Test func everyRestaurantHasAPictureOfItsKind() throws {
        for number in 0..<500 {
            let picture = data.picture(ofRestaurant: number)
            let type = data.record(.restaurant, number).fields.first { $0.name == "type" }
            let kind = try #require(type?.field.value.string)
            let dishes = try #require(files.dishes[kind])
            #expect(dishes.contains { files.pictures[$0]?.contains(picture) == true }, "\(number)")
        }
    }

    @Test func everyDishIsSomewhereKnown() {
        let cuisines = Set(files.cities.flatMap(\.culture.sentences.cuisines))
        #expect(cuisines == Set(files.dishes.keys))
        #expect(Set(files.dishes.values.joined()) == Set(files.pictures.keys))
    }
}
