/// The owner name that stands for the user of the app.
public let CKCurrentUserDefaultName = "__defaultOwner__"
/// The older name of ``CKCurrentUserDefaultName``.
@available(*, deprecated, renamed: "CKCurrentUserDefaultName")
public let CKOwnerDefaultName = CKCurrentUserDefaultName
/// The name of the zone that every database has.
public let CKRecordZoneDefaultName = "_defaultZone"
/// The record type of users.
public let CKRecordTypeUserRecord = "Users"
/// The record type of shares.
public let CKRecordTypeShare = "cloudkit.share"
/// The key of the record above in a share's hierarchy.
public let CKRecordParentKey = "parent"
/// The key of the share of a record.
public let CKRecordShareKey = "share"
