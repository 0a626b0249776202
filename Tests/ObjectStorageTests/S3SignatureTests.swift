import Foundation
import Testing

@testable import ObjectStorage

/// The examples that AWS publishes with their results: in the guide to the signature in S3's API reference, and `get-vanilla`
/// of the suite for Signature Version 4.
@Suite struct S3SignatureTests {
    private static let credentials = S3Credentials(
        accessKey: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    private static let signature = S3Signature(credentials: credentials, region: "us-east-1")
    private static let time = "20130524T000000Z"

    private static func request(
        _ method: String, _ path: String, query: [(name: String, value: String)] = [],
        headers: [String: String] = [:], body: String = S3Signature.emptySHA256
    ) -> S3Signature.Request {
        var all = [
            "host": "examplebucket.s3.amazonaws.com", "x-amz-date": time, "x-amz-content-sha256": body,
        ]
        for (name, value) in headers { all[name] = value }
        return .init(method: method, path: path, query: query, headers: all, bodySHA256: body)
    }

    private static func code(_ request: S3Signature.Request) -> String {
        let text = signature.authorization(request, time: time)
        return text.components(separatedBy: "Signature=").last ?? ""
    }

    @Test func `A part of an object is asked for as in AWS's example`() {
        let request = Self.request("GET", "/test.txt", headers: ["Range": "bytes=0-9"])
        #expect(Self.code(request) == "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test func `An object is put as in AWS's example`() {
        let request = Self.request(
            "PUT", "/" + S3Signature.encoded("test$file.text", keeping: "/"),
            headers: [
                "Date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY",
            ], body: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072")
        #expect(Self.code(request) == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
    }

    @Test func `A bucket's setting is asked for as in AWS's example`() {
        let request = Self.request("GET", "/", query: [("lifecycle", "")])
        #expect(Self.code(request) == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    }

    @Test func `Objects are listed as in AWS's example`() {
        let request = Self.request("GET", "/", query: [("prefix", "J"), ("max-keys", "2")])
        #expect(Self.code(request) == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
    }

    @Test func `The plain request of the suite has the suite's signature`() {
        let suite = S3Signature(
            credentials: S3Credentials(
                accessKey: "AKIDEXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
            region: "us-east-1", service: "service")
        let request = S3Signature.Request(
            method: "GET", path: "/",
            headers: ["Host": "example.amazonaws.com", "X-Amz-Date": "20150830T123600Z"],
            bodySHA256: S3Signature.emptySHA256)
        #expect(
            suite.authorization(request, time: "20150830T123600Z")
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request,SignedHeaders=host;x-amz-date,Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
        )
    }

    @Test func `Queries are in the order of their encoded names`() {
        #expect(S3Signature.queryText([("b", "ü/ "), ("a", "1"), ("a", "")]) == "a=&a=1&b=%C3%BC%2F%20")
    }

    @Test func `A key never shows its secret`() {
        var text = ""
        dump(Self.credentials, to: &text)
        #expect(!text.contains("wJalr") && !"\(Self.credentials)".contains("wJalr"))
    }
}

@Suite struct S3LocationTests {
    private static func location(_ text: String, _ environment: [String: String] = [:]) throws -> S3Location {
        try S3Location(text, environment: environment)
    }

    @Test func `AWS gets the bucket in the host, other stores in the path`() throws {
        let aws = try Self.location("s3://backups/a//b/", ["AWS_REGION": "eu-central-1"])
        #expect(aws.origin + aws.path(of: "x y") == "https://backups.s3.eu-central-1.amazonaws.com/x%20y")
        #expect(aws.prefix == "a/b/" && aws.text == "s3://backups/a/b")
        #expect(try Self.location("s3://my.bucket").host == "s3.us-east-1.amazonaws.com")
        let own = try Self.location("s3://backups?endpoint=http://127.0.0.1:9000/&region=x")
        #expect(
            own.origin + own.path(of: "k") == "http://127.0.0.1:9000/backups/k"
                && own.path(of: "") == "/backups")
        let virtual = try Self.location(
            "s3://backups?addressing=virtual", ["AWS_ENDPOINT_URL": "https://s3.example.org:443"])
        #expect(virtual.origin == "https://backups.s3.example.org" && virtual.path(of: "") == "/")
    }

    @Test(arguments: [
        "s3://", "s3://ab", "s3://Backups", "s3://bucket:9000", "s3://bucket?endpoint=ftp://x",
        "s3://bucket?colour=red",
        "s3://bucket?addressing=none", "s3://bucket?endpoint=http://u:p@h",
    ])
    func `What is no address is refused with a remedy`(_ text: String) {
        #expect { try Self.location(text) } throws: { ($0 as? ObjectStorageError)?.code == "S3_ADDRESS" }
    }

    @Test(arguments: ["s3://key:secret@bucket", "s3://bucket?secretKey=x"])
    func `A key in an address is refused without being repeated`(_ text: String) {
        #expect { try Self.location(text) } throws: { error in
            (error as? ObjectStorageError)?.message.contains("may hold no key") == true
                && !"\(error)".contains("secret@")
        }
    }

    @Test func `Keys come from the environment, or from a section of a file`() throws {
        #expect(throws: ObjectStorageError.self) { try S3Credentials.find(["AWS_ACCESS_KEY_ID": "a"]) }
        #expect(throws: ObjectStorageError.self) { try S3Credentials.find([:]) }
        let found = S3Credentials.read(
            """
            [default]
            aws_access_key_id = one
            # aws_secret_access_key = no
            aws_secret_access_key=two=2

            [other]
            aws_access_key_id = three
            """, profile: "default")
        #expect(found?.accessKey == "one" && found?.secret == "two=2")
        #expect(S3Credentials.read("[other]\naws_access_key_id = three", profile: "other") == nil)
    }

    @Test func `Answers are read with what stands in them escaped`() {
        let text =
            "<R><Contents><Key>a&amp;b&#x2F;&#99;&odd;</Key><Size>3</Size></Contents><Contents></Contents></R>"
        #expect(S3Answer.elements("Contents", in: text).count == 2)
        #expect(S3Answer.text("Key", in: text) == "a&b/c&odd;")
        #expect(S3Answer.text("Absent", in: "<Absent>") == nil)
    }
}
