import NIOCore

#if canImport(Glibc)
import CAllocator
#endif

/// Keeps what the process holds near what it uses: freed memory goes back to the system.
///
/// Left alone, glibc gives each thread a heap of its own, keeps freed memory in all of them, and after a large request
/// takes further large blocks from the heaps as well, where one small block above them keeps all of it. So heaps are no
/// more than threads that allocate at once, and large blocks are asked from the system.
public enum AllocatedMemory {
    #if canImport(Glibc)
    /// The most heaps: two for each core, on which event loops, threads of tasks, and those that write and scan take turns. Each
    /// heap keeps pages between blocks that stay, as those of SQLite's caches do: beside 43 MiB of such blocks eight heaps kept 52
    /// MiB after eighteen minutes of everything at once on two cores, and four kept 32 (`bounds.py --only everything`). With one for each
    /// core threads wait for each other: a short run of 0.1.0 with four, on four cores, had 0.74 to 0.93 of its requests.
    private static var heaps: Int32 { Int32(clamping: 2 * System.coreCount) }
    /// From this length on, a block is the system's and goes back when it is freed: longer than most answers.
    private static let largeBytes: Int32 = 1_048_576
    /// How much may be free at the end of a heap.
    private static let spareBytes: Int32 = 4_194_304
    #endif

    /// Sets the allocator up; before the process has threads. Without effect where it is not glibc's.
    public static func configure() {
        #if canImport(Glibc)
        // Where it refuses, memory is kept longer; nothing else depends on it.
        _ = mallopt(M_ARENA_MAX, heaps)
        _ = mallopt(M_MMAP_THRESHOLD, largeBytes)
        _ = mallopt(M_TRIM_THRESHOLD, spareBytes)
        #endif
    }

    /// Gives free pages of all heaps back.
    static func giveBack() {
        #if canImport(Glibc)
        _ = malloc_trim(0)
        #endif
    }
}

/// Gives memory back after large requests, and now and then.
final class MemoryReturn: Sendable {
    /// What is worth giving back soon.
    private static let largeBytes = 1_048_576
    /// How long it waits: large requests that follow each other leave little in the heaps of each other's threads.
    private static let pause = Duration.milliseconds(200)
    /// How often memory is given back anyway.
    private static let interval = Duration.seconds(60)

    /// That a large request came; several are as good as one.
    private let larges: AsyncStream<Void>
    private let large: AsyncStream<Void>.Continuation

    init() { (larges, large) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

    /// Notes that memory of so many bytes was used for a moment.
    func note(_ bytes: Int) {
        if bytes >= Self.largeBytes { large.yield() }
    }

    /// Gives memory back until the task is cancelled. One task at a time.
    func watch() async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                while (try? await Task.sleep(for: Self.interval)) != nil { AllocatedMemory.giveBack() }
            }
            group.addTask {
                for await _ in self.larges {
                    guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
                    AllocatedMemory.giveBack()
                }
            }
        }
    }
}
