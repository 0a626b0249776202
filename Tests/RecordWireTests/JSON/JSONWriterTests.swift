import RecordWire
import TestSupport
import Testing

@Suite struct JSONWriterTests {
    @Test(
        arguments: [
            (0.0, "0"), (-0.0, "-0.0"), (1.5, "1.5"), (1e15, "1000000000000000"), (-3, "-3"),
            (9_007_199_254_740_992, "9007199254740992.0"), (-0x1p63, "-9.223372036854776e+18"),
            (0x1p63, "9.223372036854776e+18"), (1e300, "1e+300"), (.leastNonzeroMagnitude, "5e-324"),
            (.nan, "null"),
            (.infinity, "null"), (-.infinity, "null"),
        ] as [(Double, String)])
    func `Numbers are written so that they are read the same`(_ number: Double, _ text: String) throws {
        let bytes = JSONWriter.text { $0.double(number) }
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        let read = try JSONReader.read(bytes)
        #expect(read.double == (number.isFinite ? number : nil))
    }

    @Test func `A tree with a number that JSON cannot carry is JSON still`() throws {
        let tree: JSONValue = [.double(.nan), .double(.infinity), .double(-.infinity)]
        #expect(try JSONReader.read(tree.bytes) == [nil, nil, nil])
    }

    @Test func `Every control character is escaped`() throws {
        for byte in UInt8(0)..<0x20 {
            let text = String(UnicodeScalar(byte))
            let bytes = JSONWriter.text { $0.string(text) }
            #expect(!bytes.contains(byte))
            #expect(try JSONReader.read(bytes) == .string(text))
        }
    }

    @Test func `The writer sets the commas`() {
        let bytes = JSONWriter.text { writer in
            writer.beginObject()
            writer.key("a")
            writer.beginArray()
            writer.int(1)
            writer.beginObject()
            writer.endObject()
            writer.raw(Array("[]".utf8))
            writer.endArray()
            writer.member("b", "x" as String?)
            writer.member("none", nil as String?)
            writer.member("c", ["y", "z"])
            writer.member("d", false)
            writer.member("e", 7)
            writer.key(text: "\"")
            writer.null()
            writer.endObject()
        }
        #expect(
            String(decoding: bytes, as: UTF8.self)
                == #"{"a":[1,{},[]],"b":"x","c":["y","z"],"d":false,"e":7,"\"":null}"#)
    }
}
