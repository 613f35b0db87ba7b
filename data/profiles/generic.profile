# SPDX-License-Identifier: Apache-2.0
# Any other map: names of layers, files and values in the main European languages.
# Areas that no rule recognizes are other.
[profile]
name=generic
title=Common names (any map)
unmatched=other
crs=EPSG:2056 2480000 1070000 2840000 1300000

[rule not on the ground]
layers=parcel*;*parzelle*;flurstueck*;kadastr*;katastr*;*cadastral*;lots;erven;*boundar*;*grenze*;municipalit*;gemeinden;communes;comuni;sections;address*;adress*;adres*;*contour*;*elevation*;*hoehenlinie*
class=ignore

[rule buildings by name]
layers=*building*;*bldg*;*footprint*;*gebaeude*;*haeuser*;*batiment*;*edific*;*fabbricat*;*construccion*;constru;*byggnad*;*bygning*;*bygg*;*budynk*;*budov*;*stavb*;*zgrad*;hoone;hooned;*_hoone*;eka;ekas;*pastat*;*epulet*;*cladir*;*rakennu*;*sgradi*;*ktiri*;bina;binalar;pand;panden;gebouw*;*_gebouw*
geometry=area
closed-lines=area
class=building

# Before the names, which also match a layer of footpaths.
[rule streets by tag]
layers=*
geometry=line
needs=highway
attribute=highway
values=streets
null=next
unknown=next
width=6
width-attribute=width_m;width;est_width
widths=streets
widths-attribute=highway

[rule roads by name]
layers=*road*;*street*;*strasse*;*highway*;*route*;*voirie*;*chaussee*;*strad*;*calle*;*calzada*;viales;viario;*vial_*;*logradour*;arruament*;rodovia*;*wegdeel*;wegen;*vaeg*;vagar;vej;veje;*vejmidte*;*vejkant*;*_veg*;veger;*ulic*;*silnic*;*drogi*;*droga*;*jezdni*;cesty;cesta;ceste;*_cest*;teed;*_tee;tieviiva*;tiet;*keliai*;*kelias*;ielas;iela;utak;*utca*;utcak;drumuri;drum;*dromo*;*patisht*;putevi;yol;yollar;kjorebane;*kjoerebane*;*trottoir*;*sidewalk*;*pavement*
class=road
width=6
width-attribute=width_m;width;breite;largeur;larghezza;anchura;ancho;largura;szerokosc;sirka;breedte;bredd;bredde

[rule buildings by tag]
layers=*
geometry=area
needs=building
attribute=building
values=buildings by tag
null=next

[rule areas by attribute]
layers=*
geometry=area
attribute=class;klasse;classe;clase;category;kategorie;kind;art;type;typ;feature;fclass;layer;nutzung;nutzart;landuse;code_desc
values=sensible
null=next

[rule lines by attribute]
layers=*
geometry=line
attribute=highway;fclass;class;klasse;classe;category;kind;art;type;typ;layer
values=sensible
null=ignore
unknown=ignore
width=6
width-attribute=width_m;width;breite;largeur;larghezza;anchura;ancho;largura;szerokosc;sirka;breedte;bredd;bredde
widths=streets
widths-attribute=fclass

[rule known ground]
layers=*ground*;*landuse*;*land_use*;*landcover*;*land_cover*;*water*;*green*;*park*;*forest*;*vegetation*;*other*;*uebrige*;*bodenbedeckung*;*tessellation*
geometry=area
class=other

[rule lines]
layers=*
geometry=line
class=ignore

[classes sensible]
building=*building*;*gebaeude*;*batiment*;*edific*;*house*;*haus;*footprint*
road=*road*;*street*;*strasse*;*highway*;*route*;*voirie*;*strada*;*calle*;*trottoir*;*sidewalk*;*pavement*;verkehrsinsel;residential_street;motorway;motorway_link;trunk;trunk_link;primary;primary_link;secondary;secondary_link;tertiary;tertiary_link;residential;unclassified;living_street;service;pedestrian;track;square;transportsquare
other=other;ground;landuse;plantcover;railway;*water*;*green*;*park*;*forest*;*wald*;*garden*;*garten*;*grass*;*field*;*meadow*;*uebrige*

[classes buildings by tag]
next=no;0;false
building=*

# As in OpenStreetMap.
[classes streets]
road=motorway;motorway_link;trunk;trunk_link;primary;primary_link;secondary;secondary_link;tertiary;tertiary_link;unclassified;residential;living_street;service;pedestrian;road;track;busway
ignore=footway;steps;path;cycleway;bridleway;corridor;elevator;platform;proposed;construction;abandoned;razed;rest_area;services

[widths streets]
14=motorway;trunk
10=primary;motorway_link;trunk_link
9=secondary
8=tertiary;primary_link;secondary_link
7=tertiary_link;busway
6=residential;unclassified;living_street;road
5=pedestrian
4=service
3=track
