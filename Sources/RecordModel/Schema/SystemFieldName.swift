/// The fields that every record type has without declaring them (Documentation/Protocol.md, 'The schema language').
public enum SystemFieldName: String, Hashable, Sendable, CaseIterable {
    case createTime = "___createTime"
    case createdBy = "___createdBy"
    case etag = "___etag"
    case modTime = "___modTime"
    case modifiedBy = "___modifiedBy"
    case recordID = "___recordID"

    /// The type of its values, which cannot be another.
    public var type: FieldType {
        switch self {
        case .createTime, .modTime: FieldType(.timestamp)
        case .createdBy, .modifiedBy, .recordID: FieldType(.reference)
        case .etag: FieldType(.string)
        }
    }
}
