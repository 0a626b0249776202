/// What a dish stands on: the colours of the table and the cloth, and of the crockery.
struct Theme: Sendable {
    var table: Colour
    var cloth: Colour
    var crockery: Colour

    init(_ table: UInt32, _ cloth: UInt32, crockery: UInt32) {
        self.table = Colour(table)
        self.cloth = Colour(cloth)
        self.crockery = Colour(crockery)
    }

    static let all: [Theme] = [
        Theme(0xD98A67, 0xCB7752, crockery: 0xFBF3E4),
        Theme(0xA9BFA0, 0xC0D1B8, crockery: 0xFFFDF7),
        Theme(0xE9BF5F, 0xDFAE44, crockery: 0xFFFBF0),
        Theme(0x3F7C7B, 0x4C8E8C, crockery: 0xF6EFE0),
        Theme(0x364A70, 0x42597F, crockery: 0xF4F1EC),
        Theme(0xE9BDB3, 0xF1CFC7, crockery: 0xFFFFFF),
        Theme(0xF0E2C8, 0xE5D2B0, crockery: 0xFFFFFF),
        Theme(0x93ADC3, 0xA8BED0, crockery: 0xFFFDF7),
        Theme(0x714C66, 0x835B77, crockery: 0xF8EDE6),
        Theme(0xBBDDCD, 0xCDE8DB, crockery: 0xFFFFFF),
        Theme(0x8D5E40, 0x7E5237, crockery: 0xF7EEDD),
        Theme(0xD9B384, 0xCDA471, crockery: 0xFDF8EE),
        Theme(0x43484D, 0x4E545A, crockery: 0xEFEBE4),
        Theme(0xB8D5E6, 0xCBE1EE, crockery: 0xFFFFFF),
        Theme(0xC9656A, 0xD67B7E, crockery: 0xFFF6EC),
        Theme(0x6F8F5E, 0x7F9F6E, crockery: 0xFAF4E4),
    ]
}
