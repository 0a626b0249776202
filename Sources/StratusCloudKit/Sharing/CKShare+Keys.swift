extension CKShare {
    /// The keys of the fields that every share can have.
    public enum SystemFieldKey {
        /// What people see as the share's title; a string.
        public static let title: CKRecord.FieldKey = CKShareTitleKey
        /// A small picture of what is shared; data.
        public static let thumbnailImageData: CKRecord.FieldKey = CKShareThumbnailImageDataKey
        /// The kind of what is shared, as a uniform type identifier; a string.
        public static let shareType: CKRecord.FieldKey = CKShareTypeKey
    }
}

/// The older name of ``CKShare/SystemFieldKey/title``.
public let CKShareTitleKey = "cloudkit.title"
/// The older name of ``CKShare/SystemFieldKey/thumbnailImageData``.
public let CKShareThumbnailImageDataKey = "cloudkit.thumbnailImageData"
/// The older name of ``CKShare/SystemFieldKey/shareType``.
public let CKShareTypeKey = "cloudkit.type"
/// The record name of every share of a whole zone.
public let CKRecordNameZoneWideShare = "cloudkit.zoneshare"
