"""The units: what they measure, how large they are, what people call them.

Factors are exact: the yard and pound agreement of 1959, the SI brochure (9th edition),
IEC 80000-13 for kibi and so on, US customary volumes by NIST Handbook 44.
"""

from typing import Final

# symbol | size in the dimension's base | English names | German names | further spellings
# The first name is the singular, the second the plural, where there are two.
TABLE: Final = """
length
nm | 1e-9 | nanometre, nanometres | Nanometer |
µm | 1e-6 | micrometre, micrometres | Mikrometer | um, micron, microns
mm | 0.001 | millimetre, millimetres | Millimeter |
cm | 0.01 | centimetre, centimetres | Zentimeter |
dm | 0.1 | decimetre, decimetres | Dezimeter |
m | 1 | metre, metres | Meter |
km | 1000 | kilometre, kilometres | Kilometer | kms
in | 0.0254 | inch, inches | Zoll | "
ft | 0.3048 | foot, feet | Fuß | ', fuss
yd | 0.9144 | yard, yards | Yard, Yards |
mi | 1609.344 | mile, miles | Meile, Meilen |
nmi | 1852 | nautical mile, nautical miles | Seemeile, Seemeilen | sm
au | 149597870700 | astronomical unit, astronomical units | astronomische Einheit, astronomische Einheiten | AU, AE
ly | 9460730472580800 | light year, light years | Lichtjahr, Lichtjahre | lj
area
mm² | 0.000001 | square millimetre, square millimetres | Quadratmillimeter |
cm² | 0.0001 | square centimetre, square centimetres | Quadratzentimeter |
m² | 1 | square metre, square metres | Quadratmeter | qm
km² | 1000000 | square kilometre, square kilometres | Quadratkilometer | qkm
are | 100 | are, ares | Ar |
ha | 10000 | hectare, hectares | Hektar |
in² | 0.00064516 | square inch, square inches | Quadratzoll | sq in
ft² | 0.09290304 | square foot, square feet | Quadratfuß | sq ft
yd² | 0.83612736 | square yard, square yards | Quadratyard, Quadratyards | sq yd
mi² | 2589988.110336 | square mile, square miles | Quadratmeile, Quadratmeilen | sq mi
ac | 4046.8564224 | acre, acres | Acre, Acres |
volume
mL | 0.001 | millilitre, millilitres | Milliliter | ml
cL | 0.01 | centilitre, centilitres | Zentiliter | cl
dL | 0.1 | decilitre, decilitres | Deziliter | dl
L | 1 | litre, litres | Liter | l
hL | 100 | hectolitre, hectolitres | Hektoliter | hl
mm³ | 0.000001 | cubic millimetre, cubic millimetres | Kubikmillimeter |
cm³ | 0.001 | cubic centimetre, cubic centimetres | Kubikzentimeter | cc, ccm
m³ | 1000 | cubic metre, cubic metres | Kubikmeter | cbm
in³ | 0.016387064 | cubic inch, cubic inches | Kubikzoll | cu in
ft³ | 28.316846592 | cubic foot, cubic feet | Kubikfuß | cu ft
fl oz | 0.0295735295625 | fluid ounce, fluid ounces | Flüssigunze, Flüssigunzen | fl. oz, fl. oz., floz
tsp | 0.00492892159375 | teaspoon, teaspoons | US-Teelöffel |
tbsp | 0.01478676478125 | tablespoon, tablespoons | US-Esslöffel |
cup | 0.2365882365 | cup, cups | US-Cup, US-Cups |
pt | 0.473176473 | pint, pints | US-Pint, US-Pints |
qt | 0.946352946 | quart, quarts | US-Quart, US-Quarts |
gal | 3.785411784 | gallon, gallons | Gallone, Gallonen | us gallon, us gallons
imp gal | 4.54609 | imperial gallon, imperial gallons | britische Gallone, britische Gallonen | uk gallon, uk gallons
imp pt | 0.56826125 | imperial pint, imperial pints | britisches Pint, britische Pints | uk pint, uk pints
bbl | 158.987294928 | barrel, barrels | Barrel |
mass
µg | 1e-9 | microgram, micrograms | Mikrogramm | ug, mcg
mg | 1e-6 | milligram, milligrams | Milligramm |
g | 0.001 | gram, grams | Gramm |
kg | 1 | kilogram, kilograms | Kilogramm | kilo, kilos, kgs
t | 1000 | tonne, tonnes | Tonne, Tonnen | metric ton, metric tons
oz | 0.028349523125 | ounce, ounces | Unze, Unzen |
lb | 0.45359237 | pound, pounds | US-Pfund | lbs, englische pfund, englisches pfund
pfd | 0.5 | metric pound, metric pounds | Pfund |
ztr | 50 | metric hundredweight | Zentner |
st | 6.35029318 | stone, stones | Stone |
gr | 0.00006479891 | grain, grains | Grain |
ct | 0.0002 | carat, carats | Karat |
tn | 907.18474 | short ton, short tons | US-Tonne, US-Tonnen | us ton, us tons
temperature
°C | 1 | degree Celsius, degrees Celsius | Grad Celsius | c, celsius, centigrade, degrees c, degrees centigrade, degree, degrees, grad, Grad, °
°F | 5/9 | degree Fahrenheit, degrees Fahrenheit | Grad Fahrenheit | f, fahrenheit, degrees f
K | 1 | kelvin | Kelvin | k
°R | 5/9 | degree Rankine, degrees Rankine | Grad Rankine | rankine
speed
m/s | 1 | metre per second, metres per second | Meter pro Sekunde | mps
km/h | 5/18 | kilometre per hour, kilometres per hour | Kilometer pro Stunde | kmh, kph, stundenkilometer
mph | 0.44704 | mile per hour, miles per hour | Meile pro Stunde, Meilen pro Stunde | mi/h
kn | 463/900 | knot, knots | Knoten | kt, kts
ft/s | 0.3048 | foot per second, feet per second | Fuß pro Sekunde | fps
mm/h | 1/3600000 | millimetre per hour, millimetres per hour | Millimeter pro Stunde |
in/h | 0.0254/3600 | inch per hour, inches per hour | Zoll pro Stunde |
duration
ns | 1e-9 | nanosecond, nanoseconds | Nanosekunde, Nanosekunden |
µs | 1e-6 | microsecond, microseconds | Mikrosekunde, Mikrosekunden | us
ms | 0.001 | millisecond, milliseconds | Millisekunde, Millisekunden |
s | 1 | second, seconds | Sekunde, Sekunden | sec, secs, sek
min | 60 | minute, minutes | Minute, Minuten | mins
h | 3600 | hour, hours | Stunde, Stunden | hr, hrs, std
d | 86400 | day, days | Tag, Tage | tagen
wk | 604800 | week, weeks | Woche, Wochen |
energy
J | 1 | joule, joules | Joule |
kJ | 1000 | kilojoule, kilojoules | Kilojoule |
MJ | 1000000 | megajoule, megajoules | Megajoule |
GJ | 1000000000 | gigajoule, gigajoules | Gigajoule |
Wh | 3600 | watt hour, watt hours | Wattstunde, Wattstunden |
kWh | 3600000 | kilowatt hour, kilowatt hours | Kilowattstunde, Kilowattstunden |
MWh | 3600000000 | megawatt hour, megawatt hours | Megawattstunde, Megawattstunden |
cal | 4.184 | calorie, calories | Kalorie, Kalorien |
kcal | 4184 | kilocalorie, kilocalories | Kilokalorie, Kilokalorien |
BTU | 1055.05585262 | British thermal unit, British thermal units | BTU |
power
mW | 0.001 | milliwatt, milliwatts | Milliwatt |
W | 1 | watt, watts | Watt |
kW | 1000 | kilowatt, kilowatts | Kilowatt |
MW | 1000000 | megawatt, megawatts | Megawatt |
GW | 1000000000 | gigawatt, gigawatts | Gigawatt |
hp | 745.69987158227022 | horsepower | britische PS |
PS | 735.49875 | metric horsepower | PS | pferdestärken, pferdestärke
BTU/h | 1055.05585262/3600 | BTU per hour | BTU pro Stunde |
pressure
Pa | 1 | pascal, pascals | Pascal |
hPa | 100 | hectopascal, hectopascals | Hektopascal |
kPa | 1000 | kilopascal, kilopascals | Kilopascal |
MPa | 1000000 | megapascal, megapascals | Megapascal |
mbar | 100 | millibar, millibars | Millibar |
bar | 100000 | bar, bars | Bar |
atm | 101325 | atmosphere, atmospheres | Atmosphäre, Atmosphären |
psi | 4.4482216152605/0.00064516 | pound per square inch, pounds per square inch | Pfund pro Quadratzoll |
mmHg | 133.322387415 | millimetre of mercury, millimetres of mercury | Millimeter Quecksilbersäule |
inHg | 3386.388640341 | inch of mercury, inches of mercury | Zoll Quecksilbersäule |
torr | 101325/760 | torr | Torr |
data
bit | 1 | bit, bits | Bit |
kbit | 1000 | kilobit, kilobits | Kilobit |
Mbit | 1000000 | megabit, megabits | Megabit |
Gbit | 1000000000 | gigabit, gigabits | Gigabit |
B | 8 | byte, bytes | Byte |
kB | 8000 | kilobyte, kilobytes | Kilobyte |
MB | 8e6 | megabyte, megabytes | Megabyte |
GB | 8e9 | gigabyte, gigabytes | Gigabyte |
TB | 8e12 | terabyte, terabytes | Terabyte |
PB | 8e15 | petabyte, petabytes | Petabyte |
KiB | 8192 | kibibyte, kibibytes | Kibibyte |
MiB | 8388608 | mebibyte, mebibytes | Mebibyte |
GiB | 8589934592 | gibibyte, gibibytes | Gibibyte |
TiB | 8796093022208 | tebibyte, tebibytes | Tebibyte |
angle
° | 1 | degree, degrees | Grad | deg
arcmin | 1/60 | arc minute, arc minutes | Bogenminute, Bogenminuten |
arcsec | 1/3600 | arc second, arc seconds | Bogensekunde, Bogensekunden |
gon | 0.9 | gradian, gradians | Gon |
turn | 360 | turn, turns | Umdrehung, Umdrehungen | revolution, revolutions
frequency
Hz | 1 | hertz | Hertz |
kHz | 1000 | kilohertz | Kilohertz |
MHz | 1000000 | megahertz | Megahertz |
GHz | 1000000000 | gigahertz | Gigahertz |
rpm | 1/60 | revolution per minute, revolutions per minute | Umdrehung pro Minute, Umdrehungen pro Minute | u/min
"""
# What is added before a temperature is multiplied, to begin at absolute zero.
OFFSETS: Final = {"°C": "273.15", "°F": "459.67"}
_MONEY: Final = (
    "$ € £ ¥ euro euros eur cent cents dollar dollars usd bucks sterling gbp chf franken "
    "francs yen jpy yuan cny rubel rupees inr bitcoin bitcoins btc"
)
MONEY: Final = frozenset(_MONEY.split())
