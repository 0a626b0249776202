extension CKRecord {
    /// The names that the fields of every record have in a schema, and in predicates and sort descriptors.
    public enum SystemFieldKey {
        /// The record above in a share's hierarchy.
        public static let parent = "___parent"
        /// The share of the record.
        public static let share = "___share"
        /// The record's ID.
        public static let recordID = "___recordID"
        /// When the record was first saved.
        public static let creationDate = "___createTime"
        /// Who saved it first.
        public static let creatorUserRecordID = "___createdBy"
        /// When it was last saved.
        public static let modificationDate = "___modTime"
        /// Who saved it last.
        public static let lastModifiedUserRecordID = "___modifiedBy"
    }

    /// The record types that every container has.
    public enum SystemType {
        /// Users.
        public static let userRecord = CKRecordTypeUserRecord
        /// Shares.
        public static let share = CKRecordTypeShare
    }
}
