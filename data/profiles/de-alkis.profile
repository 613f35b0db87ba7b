# SPDX-License-Identifier: Apache-2.0
# German cadastre (ALKIS): object types of the NAS exchange format, and the simplified
# schema of the states' WFS and downloads (GebaeudeBauwerk, Nutzung).
[profile]
name=de-alkis
title=German cadastre (ALKIS)
unmatched=ignore
country=5.8 47.2 15.1 55.1
crs=EPSG:25832 280000 5200000 920000 6110000;EPSG:4647 32280000 5200000 32920000 6110000

[rule buildings]
layers=ax_gebaeude;ax_bauteil;gebaeudebauwerk*;gebaeude_bauwerk*
drop=endet;lageZurErdoberflaeche=1200|unter*;lageztrobf=1200|unter*
geometry=area
class=building

[rule buildings by name]
layers=gebaeude;gebaeude_*
drop=endet;lageZurErdoberflaeche=1200|unter*;lageztrobf=1200|unter*
geometry=area
class=building
proof=no

[rule roads]
layers=ax_strassenverkehr;ax_weg;ax_platz
drop=endet
geometry=area
class=road

[rule road axes]
layers=ax_strassenachse;ax_fahrbahnachse;ax_fahrwegachse
drop=endet
geometry=line
class=road
width=6
width-attribute=breiteDesVerkehrsweges;breiteDerFahrbahn

[rule land use]
layers=nutzung*;tatsaechlichenutzung*;tatsaechliche_nutzung*
drop=endet
geometry=area
attribute=nutzart;nutzungsart;bez;objektart
values=land use
null=other

[rule land use types]
layers=ax_wohnbauflaeche;ax_industrieundgewerbeflaeche;ax_halde;ax_bergbaubetrieb;ax_tagebaugrubesteinbruch;ax_flaechegemischternutzung;ax_flaechebesondererfunktionalerpraegung;ax_sportfreizeitunderholungsflaeche;ax_friedhof;ax_bahnverkehr;ax_flugverkehr;ax_schiffsverkehr;ax_landwirtschaft;ax_wald;ax_gehoelz;ax_heide;ax_moor;ax_sumpf;ax_unlandvegetationsloseflaeche;ax_fliessgewaesser;ax_hafenbecken;ax_stehendesgewaesser;ax_meer;ax_siedlungsflaeche
drop=endet
geometry=area
class=other

[rule not on the ground]
layers=ax_*;ap_*;flurstueck*;katasterbezirk*;verwaltungseinheit*;gemarkung*;flur*
class=ignore

[classes land use]
road=Straßenverkehr;Strassenverkehr;Weg;Platz;Straße;Strasse
other=Wohnbau*;Industrie*;Halde;Bergbau*;Tagebau*;Fläche*;Flaeche*;Sport*;Friedhof;Bahnverkehr;Flugverkehr;Schiffsverkehr;Landwirtschaft;Wald;Gehölz;Gehoelz;Heide;Moor;Sumpf;Unland*;Fließgewässer;Fliessgewaesser;Hafenbecken;Stehendes*;Meer;Siedlung*;Grünland;Ackerland;Garten*
