import ArgumentParser

@main struct Stratus: ParsableCommand {}
