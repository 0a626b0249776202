import CloudKit
import Testing

@Suite struct NotificationTests {
    /// A payload as it comes out of JSON.
    private func payload(_ json: String) throws -> [AnyHashable: Any] {
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8))
        return try #require(object as? [String: Any])
    }

    private let query = #"""
        {"aps":{"content-available":1,"alert":{"body":"New note","loc-key":"K","loc-args":["a","b"],
        "action-loc-key":"GO","launch-image":"l.png","title":"T","subtitle":"S"},"badge":3,"sound":"ping",
        "category":"C"},"ck":{"ce":2,"cid":"iCloud.x","ckuserid":"_me","nid":"n-1","qry":{"dbs":1,"fo":3,
        "rid":"r1","sid":"sub","zid":"Notes","zoid":"_me","af":{"title":"x","stars":4}}}}
        """#

    @Test("A query's payload says which record, and what is shown")
    func queryNotification() throws {
        let notification = try #require(CKNotification(fromRemoteNotificationDictionary: try payload(query)))
        #expect(notification.notificationType == .query)
        #expect(notification.containerIdentifier == "iCloud.x")
        #expect(notification.subscriptionID == "sub")
        #expect(notification.subscriptionOwnerUserRecordID?.recordName == "_me")
        #expect(!notification.isPruned)
        #expect(notification.alertBody == "New note" && notification.title == "T")
        #expect(notification.subtitle == "S" && notification.alertLaunchImage == "l.png")
        #expect(notification.alertLocalizationKey == "K")
        #expect(notification.alertLocalizationArgs == ["a", "b"])
        #expect(notification.alertActionLocalizationKey == "GO")
        #expect(notification.badge == 3 && notification.soundName == "ping" && notification.category == "C")
        let about = try #require(notification as? CKQueryNotification)
        #expect(about.queryNotificationReason == .recordDeleted)
        #expect(about.recordID == CKRecord.ID(recordName: "r1", zoneID: CKRecordZone.ID(zoneName: "Notes")))
        #expect(about.recordFields?["title"] as? String == "x")
        #expect((about.recordFields?["stars"] as? NSNumber)?.intValue == 4)
        #expect(about.databaseScope == .private)
        let again = try #require(CKNotification(fromRemoteNotificationDictionary: try payload(query)))
        #expect(again.notificationID == notification.notificationID && notification.notificationID != nil)
    }

    @Test("Payloads of zones and databases give their own classes")
    func otherKinds() throws {
        let zone = try payload(
            #"{"aps":{"alert":"Hello"},"ck":{"cid":"c","fet":{"dbs":3,"sid":"s","zid":"Z","zoid":"_ann"}}}"#)
        let ofZone = try #require(
            CKNotification(fromRemoteNotificationDictionary: zone) as? CKRecordZoneNotification)
        #expect(ofZone.recordZoneID == CKRecordZone.ID(zoneName: "Z", ownerName: "_ann"))
        #expect(ofZone.databaseScope == .shared && ofZone.notificationType == .recordZone)
        #expect(ofZone.alertBody == "Hello")
        let database = try payload(
            #"{"aps":{"content-available":1},"ck":{"cid":"c","met":{"dbs":2,"sid":"s"}}}"#)
        let ofDatabase = try #require(
            CKNotification(fromRemoteNotificationDictionary: database) as? CKDatabaseNotification)
        #expect(ofDatabase.databaseScope == .public && ofDatabase.notificationType == .database)
        #expect(ofDatabase.alertBody == nil && ofDatabase.badge == nil && ofDatabase.notificationID == nil)
    }

    @Test("A subclass reads only what it is about, and foreign payloads give nothing")
    func refusals() throws {
        #expect(CKDatabaseNotification(fromRemoteNotificationDictionary: try payload(query)) == nil)
        #expect(CKQueryNotification(fromRemoteNotificationDictionary: try payload(query)) != nil)
        for json in [#"{}"#, #"{"aps":{}}"#, #"{"ck":1}"#, #"{"ck":{"cid":"x"}}"#] {
            #expect(CKNotification(fromRemoteNotificationDictionary: try payload(json)) == nil)
        }
    }

    @Test("What has an unexpected type reads as missing")
    func oddTypes() throws {
        let odd = try payload(
            #"{"aps":[1],"ck":{"cid":7,"nid":[],"qry":{"fo":"x","dbs":{},"rid":1,"af":3}}}"#)
        let notification = try #require(
            CKNotification(fromRemoteNotificationDictionary: odd) as? CKQueryNotification)
        #expect(notification.containerIdentifier == nil && notification.recordID == nil)
        #expect(notification.queryNotificationReason == .recordUpdated)
        #expect(notification.alertBody == nil)
        let cut = try payload(#"{"ck":{"qry":{"sid":"s"}}}"#)
        #expect(CKNotification(fromRemoteNotificationDictionary: cut)?.isPruned == true)
    }
}
