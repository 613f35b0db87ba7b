# SPDX-License-Identifier: Apache-2.0
# Dutch large-scale topography (Basisregistratie Grootschalige Topografie), with
# the Dutch names of its downloads and the English ones of CityGML (IMGeo).
# Replaced objects remain in the file with an end date, and underground objects
# have a negative relative height: neither is drawn.
[profile]
name=nl-bgt
title=Dutch large-scale topography (BGT)
unmatched=ignore
country=3.2 50.7 7.3 53.7
crs=EPSG:28992 0 300000 300000 630000

[rule buildings]
layers=bgt_pand*;pand;buildingpart
drop=eindregistratie;terminationdate;objecteindtijd;relatievehoogteligging<0
class=building

[rule roads]
layers=bgt_wegdeel*;wegdeel;trafficarea
drop=eindregistratie;terminationdate;objecteindtijd;relatievehoogteligging<0
geometry=area
class=road

# Verges and islands along the road.
[rule beside roads]
layers=bgt_ondersteunendwegdeel*;ondersteunendwegdeel;auxiliarytrafficarea
drop=eindregistratie;terminationdate;objecteindtijd;relatievehoogteligging<0
geometry=area
attribute=function;functie;bgt_functie
values=beside roads
null=other

[rule ground and water]
layers=bgt_begroeidterreindeel*;begroeidterreindeel;plantcover;bgt_onbegroeidterreindeel*;onbegroeidterreindeel;bgt_waterdeel*;waterdeel;bgt_ondersteunendwaterdeel*;ondersteunendwaterdeel;bgt_overigbouwwerk*;overigbouwwerk;bgt_overbruggingsdeel*;overbruggingsdeel;bridgeconstructionelement;bgt_ongeclassificeerdobject*;ongeclassificeerdobject
drop=eindregistratie;terminationdate;objecteindtijd;relatievehoogteligging<0
geometry=area
class=other

[rule not on the ground]
layers=bgt_*;tunnelpart;tunneldeel;scheiding;kunstwerkdeel;functioneelgebied;gebouwinstallatie;buildinginstallation;openbareruimte;openbareruimtelabel;plaatsbepalingspunt;vegetatieobject;solitaryvegetationobject;stadsdeel;wijk;buurt;waterschap;spoor;railway;paal;mast;put;bak;bord;kast;sensor;straatmeubilair;installatie;weginrichtingselement;waterinrichtingselement
class=ignore

[classes beside roads]
road=verkeerseiland
other=berm
