# SPDX-License-Identifier: Apache-2.0
# Fallback profile: common names of layers, files and values in several languages.
# Unrecognised objects are other.
[profile]
name=generic
title=Common names (any map)
unmatched=other
crs=EPSG:2056 2480000 1070000 2840000 1300000

[rule not on the ground]
layers=parcel*;*parzelle*;flurstueck*;*boundar*;*grenze*;municipalit*;gemeinden;communes;sections;address*;*contour*;*elevation*;*hoehenlinie*
class=ignore

[rule buildings by name]
layers=*building*;*gebaeude*;*batiment*;*edific*;*byggnad*;*bygning*;*budynk*;*budov*;*footprint*;*haeuser*;pand;panden
geometry=area
closed-lines=area
class=building

[rule roads by name]
layers=*road*;*street*;*strasse*;*highway*;*route*;*voirie*;*strad*;*calle*;*wegdeel*;*vaeg*;*vej*;*roadway*;*trottoir*;*sidewalk*;*pavement*
class=road
width=6
width-attribute=width_m;width;breite;largeur;larghezza

[rule areas by attribute]
layers=*
geometry=area
attribute=class;klasse;classe;clase;category;kategorie;kind;art;type;typ;feature;fclass;layer;nutzung;nutzart;landuse;code_desc
values=sensible
null=next

[rule lines by attribute]
layers=*
geometry=line
attribute=highway;class;klasse;classe;category;kind;art;type;typ;fclass;layer
values=sensible
null=ignore
unknown=ignore
width=6
width-attribute=width_m;width;breite;largeur;larghezza

[rule osm-like buildings]
layers=*
geometry=area
needs=building
attribute=building
values=buildings by tag
null=next

[rule known ground]
layers=*ground*;*landuse*;*land_use*;*landcover*;*land_cover*;*water*;*green*;*park*;*forest*;*vegetation*;*other*;*uebrige*;*bodenbedeckung*
geometry=area
class=other

[rule lines]
layers=*
geometry=line
class=ignore

[classes sensible]
building=*building*;*gebaeude*;*batiment*;*edific*;*house*;*haus;*footprint*
road=*road*;*street*;*strasse*;*highway*;*route*;*voirie*;*strada*;*calle*;*trottoir*;*sidewalk*;*pavement*;verkehrsinsel;residential_street;motorway;trunk;primary;secondary;tertiary;residential;unclassified;living_street;service
other=other;ground;*water*;*green*;*park*;*forest*;*wald*;*garden*;*garten*;*grass*;*field*;*meadow*;*uebrige*

[classes buildings by tag]
next=no;0;false
building=*
