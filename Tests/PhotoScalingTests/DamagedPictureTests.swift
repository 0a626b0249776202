import Foundation
import TestSeeds
import Testing

@testable import PhotoScaling

@Suite struct DamagedPictureTests {
    private static let formats = [PictureHeader.Format.jpeg, .png, .gif, .webp]

    /// A small generator whose sequence follows from its seed.
    @Test("Bytes changed, taken out and put in: a photo or an error, never a stop", arguments: formats)
    func mutations(format: PictureHeader.Format) throws {
        let seed = Seed.one
        var random = seed.random
        var whole = TestPicture.make(48, 36, format)
        if format == .jpeg { whole = TestPicture.jpeg(whole, exif: TestPicture.exif(6, isLittle: true)) }
        for round in 0..<400 {
            var bytes = Array(whole)
            for _ in 0..<Int.random(in: 1...8, using: &random) where !bytes.isEmpty {
                // Headers are where it hurts: half of the changes are made in the first bytes.
                let end = Bool.random(using: &random) ? bytes.count : min(64, bytes.count)
                let place = Int.random(in: 0..<end, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = UInt8.random(in: .min ... .max, using: &random)
                case 1: bytes[place] = [0, 0xFF].randomElement(using: &random) ?? 0
                case 2: bytes.remove(at: place)
                default: bytes.insert(UInt8.random(in: .min ... .max, using: &random), at: place)
                }
            }
            do {
                let jpeg = try PhotoScaler(maximumWidth: 32).jpeg(from: Data(bytes))
                #expect(TestPicture.look(jpeg).width <= 32, "\(seed.testDescription), round \(round)")
            } catch {
                #expect(!error.sentence.isEmpty, "\(seed.testDescription), round \(round)")
            }
        }
    }

    @Test(arguments: formats)
    func cutOffAnywhere(format: PictureHeader.Format) {
        let whole = TestPicture.make(24, 24, format)
        for length in 0..<min(whole.count, 700) {
            _ = try? PhotoScaler().jpeg(from: whole.prefix(length))
        }
    }

    @Test("The header says how many pixels there will be, before there are any")
    func bombs() throws {
        // A PNG of 60,000 times 60,000 pixels.
        var png = Array(TestPicture.make(8, 8, .png))
        for offset in [16, 20] { png.replaceSubrange(offset..<(offset + 4), with: [0, 0, 0xEA, 0x60]) }
        #expect(code(png) == .tooLarge)
        // A GIF whose screen is small and whose picture is not.
        var gif = Array(TestPicture.make(8, 8, .gif))
        let place = 13 + (gif[10] & 0x80 == 0 ? 0 : 3 << (Int(gif[10] & 7) + 1))
        let descriptor = try #require(gif[place...].firstIndex(of: 0x2C))
        gif.replaceSubrange((descriptor + 5)..<(descriptor + 9), with: [0xFF, 0xFF, 0xFF, 0xFF])
        #expect(code(gif) == .tooLarge)
        // A JPEG of 65,000 times 65,000.
        var jpeg = Array(TestPicture.make(8, 8, .jpeg))
        let frame = try #require(jpeg.indices.first { jpeg[$0] == 0xFF && jpeg[$0 + 1] == 0xC0 })
        jpeg.replaceSubrange((frame + 5)..<(frame + 9), with: [0xFD, 0xE8, 0xFD, 0xE8])
        #expect(code(jpeg) == .tooLarge)
        #expect(code([UInt8](repeating: 0xFF, count: PhotoLimits.fileBytes + 1)) == .tooLarge)
        #expect(code([UInt8](repeating: 0xFF, count: PhotoLimits.fileBytes)) == .unknownFormat)
    }

    @Test func theLimitOfPixelsStandsAtItsEdge() throws {
        var png = Array(TestPicture.make(8, 8, .png))
        // 50,000 times 1,000 is the limit; the picture itself is not there, which is found later.
        png.replaceSubrange(16..<24, with: [0, 0, 0xC3, 0x50, 0, 0, 0x03, 0xE8])
        #expect(code(png) == .damaged)
        png.replaceSubrange(16..<24, with: [0, 0, 0xC3, 0x50, 0, 0, 0x03, 0xE9])
        #expect(code(png) == .tooLarge)
    }

    private func code(_ bytes: [UInt8]) -> PhotoError.Code? {
        do {
            _ = try PhotoScaler().jpeg(from: Data(bytes))
            return nil
        } catch {
            return error.code
        }
    }
}
