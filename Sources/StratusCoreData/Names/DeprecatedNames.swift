// Names that Apple deprecated, so that old code compiles. Nothing reads them.

// MARK: External records

/// The format of external records: binary.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSBinaryExternalRecordType = "binary"
/// The format of external records: XML.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSXMLExternalRecordType = "XML"
/// The extension of external records.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSExternalRecordExtensionOption = "NSExternalRecordExtensionOption"
/// The folder of external records.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSExternalRecordsDirectoryOption = "NSExternalRecordsDirectoryOption"
/// The format of external records.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSExternalRecordsFileFormatOption = "NSExternalRecordsFileFormatOption"
/// The entity that an external record is of.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSEntityNameInPathKey = "NSEntityNameInPathKey"
/// The path of the model of an external record.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSModelPathKey = "NSModelPathKey"
/// The object that an external record is of.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSObjectURIKey = "NSObjectURIKey"
/// The path of the store of an external record.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSStorePathKey = "NSStorePathKey"
/// The store of an external record.
@available(*, deprecated, message: "Spotlight no longer uses external records.")
public let NSStoreUUIDInPathKey = "NSStoreUUIDInPathKey"

// MARK: iCloud of before 2016

/// The name of the store in iCloud.
@available(*, deprecated, message: "iCloud for Core Data was replaced by NSPersistentCloudKitContainer.")
public let NSPersistentStoreUbiquitousContentNameKey = "NSPersistentStoreUbiquitousContentNameKey"
/// The place of the logs in iCloud.
@available(*, deprecated, message: "iCloud for Core Data was replaced by NSPersistentCloudKitContainer.")
public let NSPersistentStoreUbiquitousContentURLKey = "NSPersistentStoreUbiquitousContentURLKey"
/// A token that distinguishes apps.
@available(*, deprecated, message: "iCloud for Core Data was replaced by NSPersistentCloudKitContainer.")
public let NSPersistentStoreUbiquitousPeerTokenOption = "NSPersistentStoreUbiquitousPeerTokenOption"
/// Removes what iCloud needs.
@available(*, deprecated, message: "iCloud for Core Data was replaced by NSPersistentCloudKitContainer.")
public let NSPersistentStoreRemoveUbiquitousMetadataOption = "NSPersistentStoreRemoveUbiquitousMetadataOption"
/// The container in iCloud.
@available(*, deprecated, message: "iCloud for Core Data was replaced by NSPersistentCloudKitContainer.")
public let NSPersistentStoreUbiquitousContainerIdentifierKey =
    "NSPersistentStoreUbiquitousContainerIdentifierKey"
/// Makes the store again from iCloud.
@available(*, deprecated, message: "iCloud for Core Data was replaced by NSPersistentCloudKitContainer.")
public let NSPersistentStoreRebuildFromUbiquitousContentOption =
    "NSPersistentStoreRebuildFromUbiquitousContentOption"
/// Why the stores change.
@available(*, deprecated, message: "iCloud for Core Data was replaced by NSPersistentCloudKitContainer.")
public let NSPersistentStoreUbiquitousTransitionTypeKey = "NSPersistentStoreUbiquitousTransitionTypeKey"

/// Why the stores of iCloud changed.
@available(*, deprecated, message: "iCloud for Core Data was replaced by NSPersistentCloudKitContainer.")
public enum NSPersistentStoreUbiquitousTransitionType: UInt, Sendable {
    /// An account was added.
    case accountAdded = 1
    /// The account was removed.
    case accountRemoved = 2
    /// The content was removed.
    case contentRemoved = 3
    /// The first import has ended.
    case initialImportCompleted = 4
}
