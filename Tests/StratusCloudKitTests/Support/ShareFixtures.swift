import Foundation

@testable import StratusCloudKit

/// A share as an answer gives it, and its parts.
enum ShareJSON {
    static let token = "0Ab3-_cdefghijklmnopqrstu"
    static let owner = participant(
        "p-own", type: "OWNER", status: "ACCEPTED", permission: "READ_WRITE",
        identity: #"{"userRecordName":"_ann","nameComponents":{"givenName":"Ann","familyName":"Arm"}}"#)
    static let ben = participant(
        "p-ben", identity: #"{"userRecordName":"_ben","lookupInfo":{"emailAddress":"ben@example.org"}}"#)

    static func participant(
        _ id: String, type: String = "USER", status: String = "INVITED", permission: String = "READ_ONLY",
        identity: String = "{}", extra: String = ""
    ) -> String {
        #"{"participantId":"\#(id)","type":"\#(type)","acceptanceStatus":"\#(status)","permission":"\#(permission)","#
            + #""userIdentity":\#(identity),"isApprovedRequester":false,"orgUser":false,"#
            + #""dateAddedToShare":1700000000000\#(extra)}"#
    }

    /// The record of a share in the zone `Lists`.
    static func record(
        _ name: String = "s", tag: String = "1", title: String? = "Groceries for two", owner: String = "_ann",
        participants: [String] = [ShareJSON.owner, ben], permission: String = "NONE",
        root: String? = "groceries",
        extra: String = ""
    ) -> String {
        let fields = title.map { #""cloudkit.title":{"value":"\#($0)","type":"STRING"}"# } ?? ""
        let forRecord = root.map { #","forRecord":{"recordName":"\#($0)","recordChangeTag":"1"}"# } ?? ""
        return String(recordJSON(name, type: "cloudkit.share", tag: tag, fields: fields).dropLast())
            + #","zoneID":{"zoneName":"Lists","ownerRecordName":"\#(owner)"},"shortGUID":"\#(token)","#
            + #""webpageURL":"https://example.org/share/\#(token)","publicPermission":"\#(permission)","#
            + #""participants":[\#(participants.joined(separator: ","))],"owner":\#(ShareJSON.owner),"#
            + #""currentUserParticipant":\#(participants.last ?? ShareJSON.owner)\#(forRecord)\#(extra)}"#
    }

    /// A result of `records/resolve`.
    static func result(
        share: String = record(), scope: String = "SHARED", status: String = "INVITED",
        permission: String = "READ_ONLY", root: String? = "groceries", extra: String = ""
    ) -> String {
        let rootName = root.map { #""rootRecordName":"\#($0)","# } ?? ""
        return
            #"{"shortGUID":{"value":"\#(token)","shouldFetchRootRecord":false},"containerIdentifier":"iCloud.test","#
            + #""environment":"development","databaseScope":"\#(scope)","#
            + #""zoneID":{"zoneName":"Lists","ownerRecordName":"_ann","zoneType":"REGULAR_CUSTOM_ZONE"},\#(rootName)"#
            + #""share":\#(share),"ownerIdentity":{"userRecordName":"_ann"},"participantType":"USER","#
            + #""participantStatus":"\#(status)","participantPermission":"\#(permission)"\#(extra)}"#
    }

    static let zoneID = CKRecordZone.ID(zoneName: "Lists")

    static func root(_ name: String = "groceries") -> CKRecord {
        CKRecord(recordType: "List", recordID: CKRecord.ID(recordName: name, zoneID: zoneID))
    }
}
