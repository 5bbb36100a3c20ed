# SPDX-License-Identifier: Apache-2.0
"""Charts of times for script/table2 and script/chapter-tables."""
import math
from xml.sax.saxutils import escape

WIDTH, HEIGHT = 900, 700
LEFT, RIGHT, TOP, BOTTOM = 70, 700, 50, 640
COLORS = ["#4269d0", "#e8820c", "#c0392b", "#2a9d8f", "#3b7d23", "#d2498f", "#7d4fc4", "#8a5a36",
           "#0b84a5", "#1b1b1b"]
CEILINGS = {"memcpy": "#9a9a9a", "cpu-sequential": "#555555", "sequential": "#b08d00"}
DASHED = ("memcpy", "cpu-sequential")


class Chart:
    """Times in microseconds, {name: {n: time}}, over n, both logarithmic. `along` says what n is."""

    def __init__(self, curves, along):
        sizes = [n for curve in curves.values() for n in curve]
        times = [us for curve in curves.values() for us in curve.values()]
        self.curves, self.along = curves, along
        self.from_n, self.to_n = math.log2(min(sizes)), math.log2(max(sizes))
        self.low, self.high = math.floor(math.log10(min(times))), math.ceil(math.log10(max(times)))
        self.parts = []

    def x(self, n):
        share = (math.log2(n) - self.from_n) / max(1e-9, self.to_n - self.from_n)
        return LEFT + share * (RIGHT - LEFT)

    def y(self, us):
        return BOTTOM - (math.log10(us) - self.low) / (self.high - self.low) * (BOTTOM - TOP)

    def text(self, x, y, words, anchor="start", more=""):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>'
                          f"{escape(words)}</text>")

    def line(self, x1, y1, x2, y2, color, more=""):
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{color}"{more}/>')

    def axes(self):
        units = {-2: "10 ns", -1: "0.1 us", 0: "1 us", 1: "10 us", 2: "100 us", 3: "1 ms", 4: "10 ms", 5: "100 ms", 6: "1 s",
                 7: "10 s"}
        for power in range(self.low, self.high + 1):
            y = self.y(10.0 ** power)
            self.line(LEFT, y, RIGHT, y, "#e3e3e3")
            self.text(LEFT - 8, y + 4, units.get(power, f"1e{power} us"), "end")
        for power in range(math.ceil(self.from_n), math.floor(self.to_n) + 1, 2):
            x = self.x(2 ** power)
            self.line(x, TOP, x, BOTTOM, "#f0f0f0")
            self.text(x, BOTTOM + 20, f"2^{power}", "middle")
        self.text((LEFT + RIGHT) / 2, BOTTOM + 44, self.along, "middle")

    def draw_curves(self):
        colors = iter(COLORS * 2)
        ends = []
        for name, curve in self.curves.items():
            color = CEILINGS.get(name) or next(colors)
            points = [(self.x(n), self.y(us)) for n, us in sorted(curve.items())]
            dashes = ' stroke-dasharray="6 4"' if name in DASHED else ""
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
            self.parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" '
                              f'stroke-width="2"{dashes}/>')
            x, y = points[-1]
            if x < RIGHT:
                self.text(x + 4, y - 6, name, more=f' fill="{color}"')
            else:
                ends.append((y, x, name, color))
        self.draw_names(ends)

    def draw_names(self, ends):
        """Beside the ends of the curves, pushed apart where they would meet."""
        spacing, places = 16, []
        for end in sorted(ends):
            places.append(max(end[0], places[-1] + spacing if places else TOP))
        excess = max(0, places[-1] - BOTTOM)
        for i in range(len(places) - 1, -1, -1):
            limit = places[i + 1] - spacing if i + 1 < len(places) else BOTTOM
            places[i] = min(places[i], limit) if excess else places[i]
        for (y, x, name, color), place in zip(sorted(ends), places):
            self.line(x + 3, y, RIGHT + 22, place, color, ' stroke-width="0.7" opacity="0.6"')
            self.text(RIGHT + 26, place + 4, name, more=f' fill="{color}"')

    def svg(self, title):
        self.axes()
        self.draw_curves()
        self.text(LEFT, 28, title, more=' font-size="15" font-weight="bold"')
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
                f'font-family="sans-serif" font-size="12">\n'
                f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>\n' +
                "\n".join(self.parts) + "\n</svg>\n")
