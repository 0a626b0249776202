extension NSAttributeDescription {
    /// Makes the default as objects hold it. A default of a wrong type counts as none, as a model file's
    /// default that is not a number of the type does.
    func prepareDefault() {
        defaultPropertyValue = PropertyValue(defaultValue, for: self) ?? .null
        notes.defaultValue = statedDefault
    }
}
