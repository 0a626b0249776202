import Foundation
import ObjectStorage
import RecordModel

extension LogArchiver {
    /// Removes bases, parts of the log and files that belong to no moment that is kept.
    func retain() async throws {
        let bases = try await ArchiveReader.bases(objects, names)
        let limit = clock() - plan.keeps
        // The newest one that is older than what is kept is where the first kept moment begins.
        let first = bases.lastIndex { $0.time <= limit } ?? 0
        let kept = Array(bases[first...])
        guard let oldest = kept.first else { return }
        note(earliest: oldest.time)
        guard first > 0 else { return }
        for base in bases[..<first] { try await remove(base.folder) }
        for chain in try await objects.folders(in: names.root) where ArchiveNames.isChain(chain) {
            let start = kept.filter { $0.chain == chain }.map(\.start).min()
            // One without a base is useless, but for the one that gets its first.
            guard start != nil || chain < oldest.chain else { continue }
            try await objects.forEach(names.log(chain)) { object in
                guard let number = ArchiveNames.numbers(object.name).first, number < start ?? .max else {
                    return
                }
                try await objects.delete(object.name)
            }
        }
        try await removeFiles(kept, before: oldest.time - 3_600_000)
    }

    private func remove(_ folder: String) async throws {
        try await objects.delete(folder + BackupManifest.fileName)
        try await objects.forEach(folder) { try await objects.delete($0.name) }
    }

    /// A file of a kept moment is in the list of a base, or came after the first of them.
    private func removeFiles(_ bases: [ArchiveBase], before time: Int64) async throws {
        let work = try await onOwnThread { [source] in
            try WorkFolder(in: source.directory, name: "stratus.archive-lists")
        }
        defer { work.remove() }
        var lists: [SortedLines] = []
        for (index, base) in bases.enumerated() {
            let path = "\(work.path)/\(index)"
            try await objects.get(base.folder + ObjectBackups.listName, toFile: path)
            lists.append(try SortedLines(path))
        }
        try await objects.forEach(names.files) { object in
            let digest = String(object.name.dropFirst(names.files.count))
            for list in lists where try list.contains(digest) { return }
            if object.modifiedAt < time { try await objects.delete(object.name) }
        }
    }
}
