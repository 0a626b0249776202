import CloudKit

/// The keys of a share by the names of 2016, and the permissions of an app by those of 2014.
func label(_ share: CKShare, title: String, thumbnail: Data) {
    share[CKShareTitleKey] = title as CKRecordValue
    share[CKShareThumbnailImageDataKey] = thumbnail as CKRecordValue
    share[CKShareTypeKey] = "com.example.trip" as CKRecordValue
}

func isAllowed(_ status: CKContainer.Application.PermissionStatus) -> Bool {
    let asked: CKContainer.Application.Permissions = [.userDiscoverability]
    return status == .granted && !asked.isEmpty
}
