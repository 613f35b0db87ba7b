# SPDX-License-Identifier: Apache-2.0
# Swiss official cadastral survey: data model DM.01 (federal and cantonal) and the
# derived model MOpublic, in German, French, Italian or English.
[profile]
name=swiss-dm01
title=Swiss cadastral survey (DM.01, MOpublic)
# The land cover is complete: no other layer is needed.
unmatched=ignore
country=5.9 45.8 10.6 47.9
crs=EPSG:2056 2480000 1070000 2840000 1300000;EPSG:21781 480000 70000 840000 300000

# Parcels, single objects (walls, canopies, rails, underground objects) and
# projected objects overlap the land cover and are not part of it.
[rule not land cover]
layers=liegenschaft*;liegenschaften__*;selbstrecht*;bergwerk*;grundstueck*;resf*;real_estate*;biens_fonds*;einzelobjekt*;sosf*;soli*;sopt*;single_object*;proj*;*__proj*;*_proj;lcsfproj*;*nachfuehrung*;*perimeter*;hoheitsgrenz*;gemeindegrenz*;municipality*;*_symbol;planrahmen__*;planeinteilung*;tseinteilung*;toleranzstufe*;nomenklatur__*;flurname*;ortsname*;gelaendename*;rohrleitung*
class=ignore

# INTERLIS 1 read without its model: a table of label points, and its outlines.
[rule land cover table]
layers=bodenbedeckung__boflaeche
drivers=Interlis 1
needs=Field06
label=Field03;Field04
outlines=_Geometrie
attribute=Field06
values=codes

[rule other tables]
layers=*
drivers=Interlis 1
needs=Field01
class=ignore

[rule land cover of DMAV]
layers=dmav_bodenbedeckung_v*_bodenbedeckung_bodenbedeckung
needs=bodenbedeckungsart
geometry=area
attribute=bodenbedeckungsart
values=land cover
drop=objektstatus=projektiert*

[rule land cover]
layers=bodenbedeckung*;boflaeche*;lcsf*;lcsurface*;land_cover*;landcover*;couverture*sol*;copertura*suolo*
geometry=area
attribute=art;type;genre;genere;bbart;art_txt;art_de;art_fr;art_it
values=land cover
null=next

[rule land cover by code]
layers=bodenbedeckung*;boflaeche*;lcsf*;lcsurface*
geometry=area
needs=art_code
attribute=art_code
values=codes
null=other

# DXF stores the kind of land cover as the layer name of the drawing.
[rule drawing in common words]
layers=entities
drivers=DXF;DGN;CAD
attribute=Layer
values=common words
null=next
unknown=next
proof=no
closed-lines=area

[rule drawing]
layers=entities
drivers=DXF;DGN;CAD
attribute=Layer
values=land cover
closed-lines=area

[rule any layer with a kind]
layers=*
geometry=area
needs=art
attribute=art
values=land cover
null=next

[rule buildings by name]
layers=gebaeude;gebaeude*;building*;batiment*;edifici*
geometry=area
class=building
proof=no

[rule roads by name]
layers=strasse;strasse*;trottoir*;verkehrsinsel*;road*;route*;strad*
geometry=area
class=road
proof=no

[rule others by name]
layers=uebrige;uebrige*;andere*;other*;autre*;altro*
geometry=area
class=other
proof=no

# Land cover without a kind attribute.
[rule land cover without a kind]
layers=bodenbedeckung*;boflaeche*;lcsf*;lcsurface*;land_cover*;landcover*;couverture*sol*;copertura*suolo*
geometry=area
attribute=art;type;genre;genere;bbart;art_txt;art_de;art_fr;art_it
values=land cover
null=other
proof=no

[classes land cover]
building=Gebaeude;Gebäude;building;buildings;bâtiment;bâtiments;edificio;edifici
road=*Strasse_Weg;Strasse;Strassen;Weg;route;routes;strada;strade;road;roads;*Trottoir;*Verkehrsinsel;*route_chemin;*îlot*;*strada_sentiero;*marciapiede;*spartitraffico;*road_way;*road_path;*sidewalk;*traffic_island
other=befestigt*;humusiert*;Gewaesser*;bestockt*;vegetationslos*;Bahn;Flugplatz;Wasserbecken;Sportanlage*;Lagerplatz;Boeschungsbauwerk;Gebaeudeerschliessung;Parkplatz;uebrige*;Acker*;Weide;Reben;Obstkultur;Gartenanlage;Parkanlage*;Friedhof;Hoch_Flachmoor;stehendes*;fliessendes*;Schilfguertel;geschlossener_Wald;Wytweide*;Hecke;Fels;Gletscher*;Geroell*;Abbau*;Steinbruch;Kiesgrube;Deponie;revetement_dur*;verte*;eau*;boisee*;sans_vegetation*;chemin_de_fer;place_d_aviation;bassin;autre*;champ*;paturage*;vigne*;jardin*;tourbiere*;cours_d_eau;eau_stagnante;roseliere;foret*;rocher;glacier*;eboulis*;graviere*;rivestimento_duro*;humus*;acque*;bosco*;senza_vegetazione*;ferrovia;aerodromo;bacino*;altro*;campo*;pascolo*;vigna*;giardino*;palude*;corso_d_acqua;specchio_d_acqua;canneto;roccia;ghiacciaio*;hard_surface*;green*;humus*;water*;wooded*;no_vegetation*;without_vegetation*
ignore=Liegenschaft*;Einzelobjekt*;Hoheitsgrenze*;Gemeindegrenze*;Nomenklatur*;Fixpunkt*

[classes common words]
building=building;buildings;bâtiment;bâtiments;edificio;edifici
road=route;routes;strada;strade;road;roads;*sidewalk*;*traffic_island
other=other;water*;green*

# Position in the enumeration BB_Art.  The first four are the same in the
# federal model and every cantonal extension; all others are other.
[classes codes]
building=0
road=1;2;3
other=4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23;24;25;26;27;28;29;30;31;32;33;34;35;36;37;38;39;40;41;42;43;44;45;46;47;48;49;50
