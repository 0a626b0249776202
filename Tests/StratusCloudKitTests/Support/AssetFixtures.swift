import Crypto
import Foundation
import RecordModel
import RecordWire
import Synchronization
import Testing

@testable import StratusCloudKit

/// A service that knows no more of assets than how they are asked for, sent and fetched.
enum AssetService {
    /// The checksum that the service gives for a file.
    static func checksum(_ bytes: some Sequence<UInt8>) -> String {
        AssetDigest(bytes: Array(SHA256.hash(data: Array(bytes))))?.checksum ?? ""
    }

    /// The dictionary that the service gives for a file.
    static func dictionary(_ bytes: [UInt8], extra: String = #","receipt":"r""#) -> String {
        #"{"fileChecksum":"\#(checksum(bytes))","size":\#(bytes.count),"referenceChecksum":"ref","wrappingKey":"key"\#(extra)}"#
    }

    /// A field as an answer has it, with an address under which `content` comes.
    static func field(_ content: String) -> String {
        let address = #","downloadURL":"https://assets.test/\#(content)/${f}""#
        return #"{"value":\#(dictionary(Array(content.utf8), extra: address)),"type":"ASSETID"}"#
    }

    /// Answers requests as a service would that saves what it is sent.
    static func answer(_ request: TransportRequest) -> ScriptedTransport.Answer {
        guard let json = try? JSONReader.read(request.body ?? []).object else {
            return .json("{}", status: 400)
        }
        if request.path.hasSuffix("assets/upload") {
            let tokens = ((try? json.objects("tokens")) ?? []).enumerated().map { index, token in
                let name = token["recordName"]?.string ?? ""
                return
                    #"{"recordName":"\#(name)","fieldName":"f","url":"https://assets.test/up/\#(name)/\#(index)"}"#
            }
            return .json(#"{"tokens":[\#(tokens.joined(separator: ","))]}"#)
        }
        if request.path.hasSuffix("records/modify") {
            let records = ((try? json.objects("operations")) ?? []).map { operation in
                recordJSON(operation["record"]?.object?["recordName"]?.string ?? "", tag: "2")
            }
            return .json(#"{"records":[\#(records.joined(separator: ","))]}"#)
        }
        return .json(#"{"serverErrorCode":"BAD_REQUEST","reason":"unscripted"}"#, status: 400)
    }

    /// Takes every file, and gives what an address names.
    static func file(_ transfer: ScriptedTransport.Transfer) -> ScriptedTransport.Answer {
        if let sent = transfer.sent { return .json(#"{"singleFile":\#(dictionary(sent))}"#) }
        let content = transfer.address.split(separator: "/").dropFirst(2).first ?? ""
        return .response(TransportResponse(status: 200, body: Array(content.utf8)))
    }

    static func transport(
        _ answers: [ScriptedTransport.Answer] = [],
        files: @escaping @Sendable (ScriptedTransport.Transfer) throws -> ScriptedTransport.Answer = file
    ) -> ScriptedTransport {
        ScriptedTransport(answers, fallback: answer, files: files)
    }
}

/// A record with a file in its field `image`.
func pictured(_ name: String, _ file: URL) -> CKRecord {
    let record = CKRecord(recordType: "Restaurant", recordID: CKRecord.ID(recordName: name))
    record["image"] = CKAsset(fileURL: file)
    return record
}
