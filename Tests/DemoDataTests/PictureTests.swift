import CZlib
import RecordWire
import Testing

@testable import DemoData

/// The restaurants' pictures: a PNG that any reader takes, the same each time, and small.
@Suite struct PictureTests {
    private let data = DemoData()

    @Test(arguments: [0, 1, 17, 250, 499]) func areWholePNGs(_ index: Int) throws {
        let png = data.picture(ofRestaurant: index)
        #expect(png == data.picture(ofRestaurant: index))
        #expect((2_000...40_000).contains(png.count))
        #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]))
        var chunks: [(type: String, body: [UInt8])] = []
        var rest = png[8...]
        while !rest.isEmpty {
            let length = try number(&rest)
            let body = Array(rest.prefix(4 + length))
            rest = rest.dropFirst(4 + length)
            #expect(UInt32(try number(&rest)) == UInt32(crc32(0, body, UInt32(body.count))))
            chunks.append((String(decoding: body.prefix(4), as: UTF8.self), Array(body.dropFirst(4))))
        }
        #expect(chunks.map(\.type) == ["IHDR", "PLTE", "IDAT", "IEND"])
        var header = chunks[0].body[...]
        #expect(try number(&header) == Canvas.width)
        #expect(try number(&header) == Canvas.height)
        let colours = chunks[1].body.count / 3
        #expect((10...256).contains(colours))
        var pixels = [UInt8](repeating: 0, count: (Canvas.width + 1) * Canvas.height + 1)
        var length = UInt(pixels.count)
        #expect(uncompress(&pixels, &length, chunks[2].body, UInt(chunks[2].body.count)) == Z_OK)
        #expect(Int(length) == (Canvas.width + 1) * Canvas.height)
        #expect(pixels.dropLast().allSatisfy { $0 < colours })
    }

    @Test func differ() {
        #expect(Set((0..<24).map { data.picture(ofRestaurant: $0) }).count == 24)
        #expect(DemoData(seed: 7).picture(ofRestaurant: 0) != data.picture(ofRestaurant: 0))
    }

    @Test func everyKindOfRestaurantHasItsDishes() {
        let cuisines = Set(City.all.flatMap(\.culture.cuisines))
        #expect(cuisines == Set(Dish.ofCuisine.keys))
        #expect(Dish.ofCuisine.values.allSatisfy { !$0.isEmpty })
        #expect(Set(Dish.ofCuisine.values.joined()) == Set(Dish.allCases))
    }

    /// A shape's area is what the formula says, and nothing outside of the canvas is touched.
    @Test(arguments: 0..<40) func shapesHaveTheirArea(_ seed: Int) {
        var random = SplitMix64(seed: UInt64(seed))
        let centre = Point(320 + random.unit() * 80 - 40, 240 + random.unit() * 80 - 40)
        let (width, height) = (20 + random.unit() * 150, 20 + random.unit() * 150)
        let angle = random.unit() * 3
        func area(_ path: Path) -> Double {
            var scan = Scan(path, scale: 1, width: 640, height: 480)
            var area = 0.0
            while let run = scan.next() {
                #expect((0..<480).contains(run.row) && run.from >= 0 && run.from + run.count <= 640)
                area += Double(run.count * run.level) / Double(Scan.levels)
            }
            return area
        }
        let box = area(.box(centre, width, height, angle: angle))
        #expect(abs(box - width * height) < (width + height) * 0.6, "seed \(seed)")
        let ellipse = area(.ellipse(centre, width, height, angle: angle))
        #expect(abs(ellipse - .pi * width * height) < (width + height) * 1.5, "seed \(seed)")
        let ring = area(.ring(centre, width, width: width / 3))
        #expect(abs(ring - .pi * width * width * 5 / 9) < width * 4, "seed \(seed)")
        // Half of it lies outside.
        let cut = area(.box(Point(0, 240), width * 2, height, angle: 0))
        #expect(abs(cut - width * height) < (width + height), "seed \(seed)")
        #expect(area(.box(Point(-900, 240), width, height)) == 0)
    }

    private func number(_ bytes: inout ArraySlice<UInt8>) throws -> Int {
        try #require(bytes.count >= 4)
        defer { bytes = bytes.dropFirst(4) }
        return bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    }
}
