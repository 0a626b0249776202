import Foundation
import RecordModel
import RecordServer
import RecordWire
import TestSupport
import Testing

/// Files in the forms of records.
@Suite struct RecordFileTests {
    private static let base = ConsoleFixture.base

    /// A type with a title, a photo and further photos.
    private static func makeType(_ browser: Browser) async throws -> String {
        let csrf = try await browser.get("/console/").csrf
        let text =
            "DEFINE SCHEMA RECORD TYPE Place ( title STRING, n INT64, photo ASSET, more LIST<ASSET> );"
        try await browser.makeSchema(text, csrf)
        return csrf
    }

    /// Bytes in which boundaries seem to begin everywhere.
    private static func photo(_ count: Int) -> Data {
        let pieces = ["\r\n--", "\r\n----stratus", "\r", "\n", "-", "\u{0}"]
        var data = Data()
        var random = Seed.one.random
        while data.count < count { data.append(Data(random.pick(pieces, else: "").utf8)) }
        return data.prefix(count)
    }

    @Test func `One form without scripts makes a record with its photos`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await Self.makeType(browser)
            let page = try await browser.get("\(Self.base)/new-record?type=Place")
            #expect(page.text.contains("enctype=\"multipart/form-data\""))
            #expect(page.text.contains("type=\"file\" name=\"file.photo\""))
            let photo = Self.photo(300_000)
            let made = try await browser.post(
                multipart: [
                    ("csrf", csrf), ("recordType", "Place"), ("name", "one"), ("v.title", "Harbour ☃"),
                    ("v.n", ""), ("none.photo", "1"),
                ],
                files: [
                    ("file.photo", "a;\u{e9}.png", photo), ("file.more", "", Data()),
                    ("file.more", "1.png", Data("first".utf8)), ("file.more", "2.png", Data("second".utf8)),
                ], to: "\(Self.base)/new-record?type=Place")
            #expect(made.status == 303, "\(made.text)")
            let fields = try #require(try await fixture.fields(of: "one"))
            #expect(fields["title"]?.object?["value"] == .string("Harbour ☃"))
            #expect(fields["photo"]?.object?["value"]?.object?["size"] == .int(300_000))
            let sizes = fields["more"]?.object?["value"]?.array?.map { $0.object?["size"] }
            #expect(sizes == [.int(5), .int(6)])
            let list = try await browser.get("\(Self.base)/records?type=Place")
            #expect(list.text.matches(of: /class="thumb"/).count == 3)
            // Looking at them is no request of an app.
            let counted = fixture.history.count
            let picture = try #require(list.text.firstMatch(of: /class="asset" href="([^"]*)"/)).1
            let file = try await browser.get(String(picture))
            #expect(file.status == 200 && picture.hasPrefix("/console/files/"))
            #expect(["5", "6", "300000"].contains(file.headers["content-length"]))
            #expect(fixture.history.count == counted)
            let stranger = try await Browser(url: fixture.url).get(String(picture))
            #expect(stranger.status == 303, "\(stranger.status)")
        }
    }

    @Test func `A form that is refused keeps what was typed and what was sent`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await Self.makeType(browser)
            let texts = [
                ("csrf", csrf), ("recordType", "Place"), ("name", "one"), ("v.title", "<Harbour>"),
            ]
            let refused = try await browser.post(
                multipart: texts + [("v.n", "many"), ("none.photo", "1")],
                files: [("file.photo", "<it's>.png", Data("photo".utf8))], to: "\(Self.base)/new-record")
            #expect(refused.status == 400)
            #expect(refused.text.contains("&lt;Harbour&gt;"))
            #expect(refused.text.contains("id=\"field-1-mistake\">&#39;many&#39; is not of type INT64"))
            #expect(refused.text.contains("&lt;it&#39;s&gt;.png, 5 bytes"))
            let sent = try #require(try refused.hidden("sent.photo"))
            let made = try await browser.post(
                multipart: texts + [("v.n", "5"), ("none.photo", "1"), ("sent.photo", sent)],
                files: [("file.photo", "", Data())], to: "\(Self.base)/new-record")
            #expect(made.status == 303, "\(made.text)")
            let fields = try #require(try await fixture.fields(of: "one"))
            #expect(fields["photo"]?.object?["value"]?.object?["size"] == .int(5))
            // A name that is taken is found only by the service; that keeps all as well.
            let taken = try await browser.post(
                multipart: texts + [("v.n", "6")], files: [("file.photo", "2.png", Data("other".utf8))],
                to: "\(Self.base)/new-record")
            #expect(taken.status == 400)
            #expect(try taken.hidden("sent.photo")?.contains("receipt") == true)
            #expect(taken.text.contains("value=\"6\""))
            let forged = try await browser.post(
                multipart: texts + [("sent.photo", "{}")], to: "\(Self.base)/new-record")
            #expect(forged.status == 400)
        }
    }

    @Test func `A file that is too large is refused alone`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await Self.makeType(browser)
            let refused = try await browser.post(
                multipart: [
                    ("csrf", csrf), ("recordType", "Place"), ("name", "one"), ("v.title", "typed"),
                ],
                files: [
                    ("file.photo", "large.png", Data(count: Limits.assetBytes + 1)),
                    ("file.more", "small.png", Data("small".utf8)),
                ], to: "\(Self.base)/new-record")
            #expect(refused.status == 400)
            #expect(refused.text.contains("The file is larger than \(Limits.assetBytes) bytes."))
            #expect(refused.text.contains("value=\"typed\""))
            #expect(try refused.hidden("sent.photo") == nil)
            #expect(try refused.hidden("sent.more")?.contains("small.png") == true)
            #expect(try await fixture.fields(of: "one") == nil)
        }
    }

    @Test func `Files of a list are removed and added, a single one is replaced and taken away`() async throws
    {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await Self.makeType(browser)
            let files = ["1", "22", "333"].map { ("file.more", "\($0).png", Data($0.utf8)) }
            _ = try await browser.post(
                multipart: [("csrf", csrf), ("recordType", "Place"), ("name", "one"), ("v.title", "t")],
                files: [("file.photo", "p.png", Data("p".utf8))] + files, to: "\(Self.base)/new-record")
            let page = try await browser.get("\(Self.base)/records/one")
            #expect(page.text.matches(of: /name="drop.more"/).count == 3)
            let opened = try page.opened().map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
            let edited = try await browser.post(
                multipart: opened + [("v.title", "t"), ("drop.more", "1")],
                files: [
                    ("file.more", "4.png", Data("4444".utf8)), ("file.photo", "q.png", Data("qq".utf8)),
                ], to: "\(Self.base)/records/one")
            #expect(edited.status == 303, "\(edited.text)")
            let fields = try #require(try await fixture.fields(of: "one"))
            let sizes = fields["more"]?.object?["value"]?.array?.map { $0.object?["size"]?.int }
            #expect(sizes == [1, 3, 4])
            #expect(fields["photo"]?.object?["value"]?.object?["size"] == .int(2))
            let again = try await browser.get("\(Self.base)/records/one").opened().map { ($0.key, $0.value) }
            let none = try await browser.post(
                multipart: again + [("none.photo", "1"), ("none.more", "1")], to: "\(Self.base)/records/one")
            #expect(none.status == 303)
            let left = try #require(try await fixture.fields(of: "one"))
            #expect(left["photo"] == nil && left["more"] == nil)
            #expect(left["title"]?.object?["value"] == .string("t"))
        }
    }

    @Test func `Scripts send files before the form, with the session's token`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            let csrf = try await Self.makeType(browser)
            let path = "\(Self.base)/record-file?type=Place&field=photo"
            #expect(try await browser.post(bytes: "photo", to: path).status == 403)
            let address = "\(path)&csrf=\(csrf)"
            #expect(try await browser.post(bytes: "photo", to: address).status == 403)
            let headers = ["X-CSRF-Token": csrf, "Accept": "application/json"]
            let sent = try await browser.post(bytes: "photo", to: path, headers: headers)
            #expect(sent.status == 200)
            let value = try #require(try JSONReader.read(Array(sent.text.utf8)).object?["value"])
            let file = String(
                decoding: JSONWriter.text { $0.value(.object(JSONObject([("value", value)]))) },
                as: UTF8.self)
            let made = try await browser.post(
                "\(Self.base)/new-record",
                ["csrf": csrf, "recordType": "Place", "name": "one", "sent.photo": file])
            #expect(made.status == 303, "\(made.text)")
            let fields = try await fixture.fields(of: "one")
            #expect(fields?["photo"]?.object?["value"]?.object?["size"] == .int(5))
            let wrong = try await browser.post(
                bytes: "photo", to: "\(Self.base)/record-file?type=Place&field=title", headers: headers)
            #expect(wrong.status == 400)
        }
    }

    @Test func `A form with files of another session is refused before its files are taken`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            _ = try await Self.makeType(browser)
            for token in [[("csrf", "0")], []] {
                let forged = try await browser.post(
                    multipart: token + [("recordType", "Place"), ("name", "one")],
                    files: [("file.photo", "p.png", Data("p".utf8))], to: "\(Self.base)/new-record")
                #expect(forged.status == 403)
            }
            #expect(try await fixture.fields(of: "one") == nil)
        }
    }

    @Test func `A field for files can be added with its first file`() async throws {
        try await ConsoleFixture.with { fixture in
            let browser = try await fixture.signedIn()
            try await fixture.save([("one", [("t", .string("x"))])])
            let page = try await browser.get("\(Self.base)/records/one")
            let texts =
                try page.opened().map { ($0.key, $0.value) } + [("new.name", "photo"), ("new.type", "ASSET")]
            let saved = try await browser.post(
                multipart: texts, files: [("new.file", "p.png", Data("photo".utf8))],
                to: "\(Self.base)/records/one")
            #expect(saved.status == 303, "\(saved.text)")
            let fields = try await fixture.fields(of: "one")
            #expect(fields?["photo"]?.object?["value"]?.object?["size"] == .int(5))
            #expect(fields?["t"] != nil)
        }
    }
}
