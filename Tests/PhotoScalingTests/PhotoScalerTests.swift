import Foundation
import Testing

@testable import PhotoScaling

@Suite struct PhotoScalerTests {
    @Test(
        "A photo is as wide as allowed, in its own proportions, and never wider than it was",
        arguments: [
            (2048, 1000, 1024, 500), (1025, 3, 1024, 3), (1024, 700, 1024, 700), (40, 30, 40, 30),
            (1500, 1, 1024, 1), (10, 3000, 10, 3000), (3000, 10, 1024, 3),
        ])
    func sizes(width: Int, height: Int, newWidth: Int, newHeight: Int) throws {
        let jpeg = try PhotoScaler().jpeg(from: TestPicture.make(width, height, .png))
        let seen = TestPicture.look(jpeg)
        #expect(seen.width == newWidth && seen.height == newHeight)
        #expect(jpeg.starts(with: [0xFF, 0xD8, 0xFF]))
    }

    @Test(arguments: [PictureHeader.Format.jpeg, .png, .gif, .webp])
    func readsEveryFormat(format: PictureHeader.Format) throws {
        let picture = TestPicture.make(400, 200, format)
        #expect(try PictureHeader(Array(picture)).format == format)
        let seen = TestPicture.look(try PhotoScaler(maximumWidth: 100).jpeg(from: picture))
        #expect(seen.width == 100 && seen.height == 50)
        #expect(seen.quarters == ["red", "green", "blue", "yellow"])
    }

    @Test("The eight ways in which a camera can be held", arguments: 1...8)
    func orientations(orientation: Int) throws {
        // What is stored is what the sensor saw; which quarters are where when it is turned is EXIF's definition.
        let expected = [
            ["red", "green", "blue", "yellow"], ["green", "red", "yellow", "blue"],
            ["yellow", "blue", "green", "red"], ["blue", "yellow", "red", "green"],
            ["red", "blue", "green", "yellow"], ["blue", "red", "yellow", "green"],
            ["yellow", "green", "blue", "red"], ["green", "yellow", "red", "blue"],
        ]
        for isLittle in [true, false] {
            let picture = TestPicture.jpeg(
                TestPicture.make(400, 200), exif: TestPicture.exif(orientation, isLittle: isLittle))
            let jpeg = try PhotoScaler(maximumWidth: 100).jpeg(from: picture)
            let seen = TestPicture.look(jpeg)
            #expect(seen.quarters == expected[orientation - 1])
            #expect(seen.width == 100 && seen.height == (orientation < 5 ? 50 : 200))
            #expect(jpeg.range(of: Data("Exif".utf8)) == nil, "nothing of where it was taken stays")
        }
    }

    @Test func whatCannotBeSeenIsWhite() throws {
        let seen = TestPicture.look(try PhotoScaler().jpeg(from: TestPicture.transparent(60, 40)))
        #expect(seen.quarters == ["white", "white", "white", "white"])
    }

    @Test func qualityCountsAndNumbersOutOfRangeAreTheNearest() throws {
        let picture = TestPicture.make(600, 600)
        let small = try PhotoScaler(quality: 0.1).jpeg(from: picture).count
        let large = try PhotoScaler(quality: 1).jpeg(from: picture).count
        #expect(small < large)
        #expect(PhotoScaler(maximumWidth: -3, quality: 7).maximumWidth == 1)
        #expect(PhotoScaler(maximumWidth: -3, quality: 7).quality == 1)
        #expect(PhotoScaler(quality: .nan).quality == 0.8)
    }

    @Test(
        "What is no picture is refused with a sentence", arguments: ["", "x", "GIF8", "%PDF-1.7 …", "\u{FF}"])
    func unknown(text: String) throws {
        let error = #expect(throws: PhotoError.self) { try PhotoScaler().jpeg(from: Data(text.utf8)) }
        #expect(error?.code == .unknownFormat && error?.remedy.contains("WebP") == true)
    }

    @Test func aFileThatIsNotThereIsUnreadable() throws {
        let error = #expect(throws: PhotoError.self) {
            try PhotoScaler().writeJPEG(from: URL(fileURLWithPath: "/nowhere/at-all.jpg"))
        }
        #expect(error?.code == .unreadable && error?.cause != nil)
        let folder = #expect(throws: PhotoError.self) {
            try PhotoScaler().writeJPEG(from: FileManager.default.temporaryDirectory)
        }
        #expect(folder?.code == .unreadable)
    }

    @Test func thePhotoGoesWhateverHappens() async throws {
        struct Planned: Error {}
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try TestPicture.make(20, 20).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let first = try await PhotoScaler().withTemporaryPhoto(of: file) { photo in
            let content = try Data(contentsOf: photo)
            #expect(content.starts(with: [0xFF, 0xD8]))
            return photo
        }
        #expect(!FileManager.default.fileExists(atPath: first.path))
        var thrown: URL?
        await #expect(throws: Planned.self) {
            try await PhotoScaler().withTemporaryPhoto(of: file) { photo in
                thrown = photo
                throw Planned()
            }
        }
        #expect(thrown.map { FileManager.default.fileExists(atPath: $0.path) } == false)
        let (urls, continuation) = AsyncStream<URL>.makeStream()
        let task = Task {
            try await PhotoScaler().withTemporaryPhoto(of: file) { photo in
                continuation.yield(photo)
                try await Task.sleep(for: .seconds(3600))
            }
        }
        var iterator = urls.makeAsyncIterator()
        let running = try #require(await iterator.next())
        #expect(FileManager.default.fileExists(atPath: running.path))
        task.cancel()
        _ = await task.result
        #expect(!FileManager.default.fileExists(atPath: running.path))
    }
}
