// UIKit and AppKit give index paths these names on Apple's platforms; on Linux nobody else does.

extension IndexPath {
    /// The position of a row in a section of a table.
    public init(row: Int, section: Int) { self.init(indexes: [section, row]) }

    /// The position of an item in a section of a collection.
    public init(item: Int, section: Int) { self.init(indexes: [section, item]) }

    /// The index of the section; an index path without two indexes stops the program, as on Apple's platforms.
    public var section: Int {
        get { self[0] }
        set { self[0] = newValue }
    }

    /// The index of the row in its section; an index path without two indexes stops the program.
    public var row: Int {
        get { self[1] }
        set { self[1] = newValue }
    }

    /// The index of the item in its section; the same as ``row``.
    public var item: Int {
        get { self[1] }
        set { self[1] = newValue }
    }
}
